#include "tools/swarm/shrink.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/random.h"

namespace latchlab::swarm {

namespace {

constexpr std::uint64_t kSeeds = 4;  // of each candidate, its own included
constexpr std::size_t kAtOnce = 16;  // plays of a batch, whatever the number of jobs

// Faults of clients and nodes that a smaller case does not have strike others, or are left out.
void fit_faults(Case& smaller, const Case& before) {
  const std::uint32_t nodes = smaller.first_client_node() + smaller.nodes;
  const auto node_of = [&](std::uint32_t node) -> std::optional<std::uint32_t> {
    if (before.colocated) return node < nodes ? std::optional(node) : std::nullopt;
    if (node < before.servers) return node < smaller.servers ? std::optional(node) : std::nullopt;
    const std::uint32_t client_node = node - before.servers;
    return client_node < smaller.nodes ? std::optional(client_node + smaller.servers)
                                       : std::nullopt;
  };
  const auto client_of = [&](std::uint32_t client) -> std::optional<std::uint32_t> {
    const std::uint32_t node = client / before.per_node, place = client % before.per_node;
    if (node >= smaller.nodes || place >= smaller.per_node) return std::nullopt;
    return node * smaller.per_node + place;
  };
  std::vector<FaultSpec> kept;
  for (FaultSpec fault : smaller.faults) {
    bool fits = true;
    const auto move = [&](std::uint32_t& number, const std::optional<std::uint32_t>& to) {
      fits = fits && to;
      if (to) number = *to;
    };
    if (fault.kind == FaultKind::client_crash || fault.kind == FaultKind::process_crash)
      move(fault.client, client_of(fault.client));
    if (fault.kind == FaultKind::node_crash || fault.kind == FaultKind::link_down)
      move(fault.node, node_of(fault.node));
    if (fault.to) {
      std::uint32_t to = *fault.to;
      move(to, node_of(to));
      fault.to = to;
    }
    if (is_cpu_fault(fault.kind)) {
      if (fault.target == FaultTarget::client) move(fault.index, client_of(fault.index));
      if (fault.target == FaultTarget::client_node) fits = fits && fault.index < smaller.nodes;
      if (fault.target == FaultTarget::server) fits = fits && fault.index < smaller.servers;
    }
    if (fits) kept.push_back(fault);
  }
  smaller.faults = std::move(kept);
}

// The faults are over earlier if there are fewer.
void end_earlier(Case& smaller) {
  const Duration after = smaller.until - smaller.calm_from;
  smaller.calm_from = last_fault(smaller);
  smaller.until = smaller.calm_from + after;
}

class Shrinking {
 public:
  Shrinking(const Case& found, const Broken& broken, std::string name, std::string description,
            std::uint32_t jobs, std::uint64_t most_plays, const DataDirs& data,
            const BackendFactory& make_backend)
      : name_(std::move(name)),
        description_(std::move(description)),
        jobs_(jobs),
        most_plays_(most_plays),
        data_(data),
        make_backend_(make_backend) {
    shrunk_.smallest = found;
    shrunk_.broken = broken;
  }

  Shrunk go() {
    if (auto scenario = scenario_of(shrunk_.smallest, name_, description_, data_))
      shrunk_.scenario = std::move(scenario).value();
    for (bool smaller = true; smaller && may_go_on();) {
      smaller = false;
      smaller = fewer_faults() || smaller;
      smaller = fewer_clients() || smaller;
      smaller = fewer_locks() || smaller;
      smaller = fewer_settings() || smaller;
      smaller = shorter() || smaller;
    }
    return std::move(shrunk_);
  }

 private:
  bool may_go_on() const { return !shrunk_.interrupted && shrunk_.plays < most_plays_; }

  // Takes the first of these cases that breaks the same, with any of the seeds.
  bool take_first(const std::vector<Case>& candidates) {
    std::vector<std::pair<Case, Scenario>> ready;
    for (std::size_t c = 0; c < candidates.size() && may_go_on(); ++c) {
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        Case one = candidates[c];
        if (seed > 0) one.seed = hash_of(one.seed, seed) >> 1U;
        if (auto scenario = scenario_of(one, name_, description_, data_))
          ready.emplace_back(std::move(one), std::move(scenario).value());
      }
      if (ready.size() < kAtOnce && c + 1 < candidates.size()) continue;
      if (take_one_of(ready)) return true;
      ready.clear();
    }
    return false;
  }
  bool take_one_of(std::vector<std::pair<Case, Scenario>>& ready) {
    std::vector<const Scenario*> scenarios;
    for (const auto& each : ready) scenarios.push_back(&each.second);
    const Batch batch = play(scenarios, shrunk_.smallest.forced, jobs_, make_backend_);
    shrunk_.interrupted = batch.interrupted;
    shrunk_.plays += batch.played.size();
    for (std::size_t i = 0; i < batch.played.size(); ++i) {
      const Broken* const finding = batch.played[i].finding();
      if (finding == nullptr || finding->what != shrunk_.broken.what) continue;
      shrunk_.broken = *finding;
      shrunk_.smallest = std::move(ready[i].first);
      shrunk_.scenario = std::move(ready[i].second);
      return true;
    }
    return false;
  }
  // Again and again, as long as one of the candidates that `make` derives is taken.
  template <class Make>
  bool repeat(const Make& make) {
    bool any = false;
    while (may_go_on() && take_first(make(shrunk_.smallest))) any = true;
    return any;
  }

  bool fewer_faults() {
    return repeat([](const Case& now) {
      std::vector<Case> candidates;
      // Without a half of them, then without each.
      for (std::size_t size = (now.faults.size() + 1) / 2; size > 0; size = size > 1 ? 1 : 0)
        for (std::size_t first = 0; first + size <= now.faults.size(); first += size) {
          Case smaller = now;
          const auto begin = smaller.faults.begin() + static_cast<std::ptrdiff_t>(first);
          smaller.faults.erase(begin, begin + static_cast<std::ptrdiff_t>(size));
          end_earlier(smaller);
          candidates.push_back(std::move(smaller));
        }
      return candidates;
    });
  }
  bool fewer_clients() {
    return repeat([](const Case& now) {
      std::vector<Case> candidates;
      const auto add = [&](auto change) {
        Case smaller = now;
        change(smaller);
        const bool fewer = smaller.clients() < now.clients() || smaller.servers < now.servers;
        if (!fewer || smaller.clients() == 0) return;
        if (smaller.colocated) smaller.servers = smaller.nodes + 1;
        fit_faults(smaller, now);
        end_earlier(smaller);
        candidates.push_back(std::move(smaller));
      };
      if (now.last && !now.early) {
        Case alone = now;
        alone.last = false;
        candidates.push_back(std::move(alone));
      }
      add([](Case& smaller) { smaller.nodes = (smaller.nodes + 1) / 2; });
      add([](Case& smaller) { smaller.per_node = (smaller.per_node + 1) / 2; });
      add([](Case& smaller) { --smaller.nodes; });
      add([](Case& smaller) { --smaller.per_node; });
      if (now.servers > 1 && !now.colocated) add([](Case& smaller) { smaller.servers = 1; });
      return candidates;
    });
  }
  bool fewer_locks() {
    return repeat([](const Case& now) {
      std::vector<Case> candidates;
      for (const std::uint64_t locks : {std::uint64_t{1}, now.locks / 2, now.locks - 1}) {
        if (locks == 0 || locks >= now.locks) continue;
        Case smaller = now;
        smaller.locks = locks;
        if (locks == 1) smaller.unset("workload.locks_per_section");
        candidates.push_back(std::move(smaller));
      }
      if (now.colocated) {
        Case apart = now;
        apart.colocated = false;
        apart.servers = 1;
        std::erase_if(apart.faults, [](const FaultSpec& fault) {
          return fault.kind == FaultKind::node_crash || fault.kind == FaultKind::link_down;
        });
        candidates.push_back(std::move(apart));
      }
      return candidates;
    });
  }
  bool fewer_settings() {
    return repeat([](const Case& now) {
      std::vector<Case> candidates;
      for (std::size_t i = 0; i < now.settings.size(); ++i) {
        Case smaller = now;
        smaller.settings.erase(smaller.settings.begin() + static_cast<std::ptrdiff_t>(i));
        candidates.push_back(std::move(smaller));
      }
      return candidates;
    });
  }
  bool shorter() {
    if (shrunk_.smallest.early) return false;  // as long as the lock's bound asks
    return repeat([](const Case& now) {
      std::vector<Case> candidates;
      const auto add = [&](auto change) {
        Case smaller = now;
        change(smaller);
        if (smaller.until < smaller.calm_from) smaller.until = smaller.calm_from;
        if (smaller.until < now.until && smaller.until > microseconds(2))
          candidates.push_back(std::move(smaller));
      };
      add([](Case& smaller) { smaller.until = smaller.calm_from; });
      add([](Case& smaller) {
        smaller.until = smaller.calm_from + (smaller.until - smaller.calm_from) / 2;
      });
      for (const std::int64_t part : {2, 4})
        add([part](Case& smaller) {  // everything earlier
          for (FaultSpec& fault : smaller.faults)
            if (fault.at) fault.at = *fault.at - *fault.at / part;
          end_earlier(smaller);
        });
      return candidates;
    });
  }

  std::string name_, description_;
  std::uint32_t jobs_;
  std::uint64_t most_plays_;
  const DataDirs& data_;
  const BackendFactory& make_backend_;
  Shrunk shrunk_;
};

}  // namespace

Shrunk shrink(const Case& found, const Broken& broken, const std::string& name,
              const std::string& description, std::uint32_t jobs, std::uint64_t most_plays,
              const DataDirs& data, const BackendFactory& make_backend) {
  return Shrinking(found, broken, name, description, jobs, most_plays, data, make_backend).go();
}

}  // namespace latchlab::swarm
