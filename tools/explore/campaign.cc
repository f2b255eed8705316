#include "tools/explore/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/paths.h"
#include "core/protocols/registry.h"

namespace latchlab::explore {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kWalks = 10'000;
constexpr std::uint32_t kMostAssignments = 10'000;

// Every text of `length` letters X and S, in order.
std::vector<std::string> words_of(std::uint32_t length, bool shared) {
  std::vector<std::string> words = {""};
  for (std::uint32_t i = 0; i < length; ++i) {
    std::vector<std::string> longer;
    for (const std::string& word : words) {
      longer.push_back(word + "X");
      if (shared) longer.push_back(word + "S");
    }
    words = std::move(longer);
  }
  return words;
}

// Every choice of `clients` words whose order does not matter: clients differ in their work alone.
void assign(const std::vector<std::string>& words, std::size_t from, std::uint32_t clients,
            std::vector<std::string>& chosen, std::vector<std::vector<std::string>>& all) {
  if (chosen.size() == clients) {
    all.push_back(chosen);
    return;
  }
  for (std::size_t i = from; i < words.size(); ++i) {
    chosen.push_back(words[i]);
    assign(words, i, clients, chosen, all);
    chosen.pop_back();
  }
}

std::vector<std::vector<std::string>> assignments(const Campaign& campaign, bool shared) {
  std::vector<std::vector<std::string>> all;
  if (!campaign.base.modes.empty()) return {campaign.base.modes};
  if (campaign.readers) {
    std::vector<std::string> modes;
    for (std::uint32_t i = 0; i < campaign.clients; ++i)
      modes.emplace_back(campaign.base.operations,
                         i < campaign.clients - *campaign.readers ? 'X' : 'S');
    all.push_back(std::move(modes));
    return all;
  }
  std::vector<std::string> chosen;
  assign(words_of(campaign.base.operations, shared), 0, campaign.clients, chosen, all);
  return all;
}

// Every clock slow, right or fast, in every way.
std::vector<std::vector<std::int64_t>> clocks_of(const Campaign& campaign, std::uint32_t nodes) {
  if (campaign.drift_ppm == 0) return {campaign.base.time.drift_ppm};
  std::vector<std::vector<std::int64_t>> all = {{}};
  for (std::uint32_t i = 0; i < nodes; ++i) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::vector<std::int64_t>& clocks : all) {
      for (const std::int64_t drift : {-campaign.drift_ppm, std::int64_t{0}, campaign.drift_ppm}) {
        longer.push_back(clocks);
        longer.back().push_back(drift);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::uint64_t milliseconds_since(Clock::time_point began) {
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
  return static_cast<std::uint64_t>(spent.count());
}

class Runner {
 public:
  Runner(const Campaign& campaign, const std::function<bool(const CampaignProgress&)>& watch)
      : campaign_(campaign), watch_(watch), began_(Clock::now()) {}

  Verdict run() {
    const std::string prefix = campaign_.base.protocol + ": ";
    paths::forget();
    paths::record(true);
    const std::vector<Case> cases = cases_of(campaign_);
    verdict_.all_cases = cases.size();
    for (const Case& setup : cases) {
      if (!verdict_.cut.empty() || out_of_time()) break;
      progress_ = {verdict_.cases + 1, cases.size(), &setup, 0, 0};
      if (campaign_.method == Method::exhaustive) {
        search_case(setup);
      } else {
        walk_case(setup);
      }
      ++verdict_.cases;
    }
    paths::record(false);
    for (const paths::PathState& path : paths::all(prefix)) {
      ++verdict_.paths;
      if (!path.reached) verdict_.unreached.emplace_back(path.label.substr(prefix.size()));
    }
    verdict_.exhausted = campaign_.method == Method::exhaustive && verdict_.cut.empty() &&
                         case_bound_.empty() && verdict_.cases == cases.size();
    if (verdict_.cut.empty()) verdict_.cut = case_bound_;
    if (campaign_.method != Method::exhaustive && verdict_.cut.empty())
      verdict_.cut = "random walks never cover everything";
    verdict_.seconds = static_cast<double>(milliseconds_since(began_)) / 1'000;
    return std::move(verdict_);
  }

 private:
  std::uint64_t time_left() const {
    if (campaign_.milliseconds == 0) return 0;
    return campaign_.milliseconds -
           std::min(campaign_.milliseconds - 1, milliseconds_since(began_));
  }
  bool out_of_time() {
    const bool late =
        campaign_.milliseconds > 0 && milliseconds_since(began_) >= campaign_.milliseconds;
    if (late) verdict_.cut = "the bound on time was reached";
    return late;
  }
  bool tell(std::uint64_t states, std::uint64_t open) {
    progress_.states = states;
    progress_.open = open;
    return !watch_ || watch_(progress_);
  }

  void search_case(const Case& setup) {
    SearchBounds bounds;
    bounds.milliseconds = time_left();
    if (campaign_.budget > 0)
      bounds.states = campaign_.budget - std::min(campaign_.budget - 1, verdict_.states);
    const SearchResult result = search(setup, bounds, [&](const Progress& progress) {
      return tell(progress.states, progress.open);
    });
    verdict_.states += result.states;
    verdict_.transitions += result.transitions;
    verdict_.memory_bytes = std::max(verdict_.memory_bytes, result.memory_bytes);
    if (result.only_case_bounds_cut) case_bound_ = result.cut;
    if (!result.exhausted && !result.only_case_bounds_cut) verdict_.cut = result.cut;
    for (const Finding& finding : result.findings) keep(setup, result.facts, finding);
  }

  void walk_case(const Case& setup) {
    WalkBounds bounds;
    bounds.walks = campaign_.budget > 0 ? campaign_.budget : kWalks;
    bounds.milliseconds = time_left();
    bounds.seed = campaign_.seed;
    const Strategy strategy = campaign_.method == Method::pct ? Strategy::pct : Strategy::random;
    bool stopped = false;
    const WalkResult result = walk(setup, strategy, bounds, [&](std::uint64_t walks) {
      stopped = !tell(walks, 0);
      return !stopped;
    });
    verdict_.walks += result.walks;
    verdict_.states += result.steps;
    verdict_.transitions += result.steps;
    verdict_.unfinished += result.unfinished;
    if (stopped) verdict_.cut = "interrupted";
    if (result.finding) keep(setup, result.facts, *result.finding);
  }

  void keep(const Case& setup, const explorer::SearchFacts& facts, const Finding& finding) {
    for (Trace& known : verdict_.findings) {
      if (known.finding.wrong != finding.wrong) continue;
      if (known.finding.path.size() > finding.path.size())
        known = make_trace(setup, facts, finding);
      return;
    }
    verdict_.findings.push_back(make_trace(setup, facts, finding));
  }

  const Campaign& campaign_;
  const std::function<bool(const CampaignProgress&)>& watch_;
  Clock::time_point began_;
  Verdict verdict_;
  CampaignProgress progress_;
  std::string case_bound_;  // that cut something of some case
};

}  // namespace

const char* name_of(Method method) {
  switch (method) {
    case Method::exhaustive:
      return "exhaustive";
    case Method::pct:
      return "pct";
    case Method::random:
      return "random";
  }
  return "";
}

std::string describe(const Case& setup) {
  std::string text;
  for (std::uint32_t i = 0; i < setup.clients(); ++i) {
    if (i > 0) text += ' ';
    for (std::uint32_t k = 0; k < setup.operations; ++k)
      text += setup.mode(i, k) == LockMode::shared ? 'S' : 'X';
  }
  if (setup.clients() > 1) text += setup.client_nodes == 1 ? ", one node for all" : ", a node each";
  if (!setup.time.drift_ppm.empty()) text += ", clocks";
  for (const std::int64_t drift : setup.time.drift_ppm) text += fmt::format(" {:+}", drift);
  return text + (setup.time.drift_ppm.empty() ? "" : " ppm");
}

// Multisets of `clients` out of 2^operations words: counted before they are made.
Status check_campaign(const Campaign& campaign) {
  const Case& base = campaign.base;
  if (const Status known = check_case(base); !known) return known.error();
  if (campaign.readers.value_or(0) > campaign.clients)
    return Error{
        fmt::format("--readers {}: there are {} clients", *campaign.readers, campaign.clients), {}};
  if (!base.modes.empty() && base.modes.size() != campaign.clients)
    return Error{fmt::format("--modes has {} texts, and there are {} clients", base.modes.size(),
                             campaign.clients),
                 {}};
  for (const std::string& modes : base.modes)
    if (modes.size() != base.operations)
      return Error{fmt::format("--modes: '{}' has {} letters, and each client has {} operations",
                               modes, modes.size(), base.operations),
                   {}};
  double cases = 1;
  if (find_protocol(base.protocol)->info.shared_mode && base.modes.empty() && !campaign.readers) {
    const double words = std::uint64_t{1} << std::min(base.operations, 40U);
    for (std::uint32_t i = 0; i < campaign.clients; ++i) cases *= (words + i) / (i + 1);
  }
  if (campaign.drift_ppm > 0 && campaign.placement != Placement::together)
    for (std::uint32_t i = 0; i < campaign.clients; ++i) cases *= 3;
  if (cases <= kMostAssignments) return fine();
  return Error{fmt::format("{} clients with {} operations each have more than {} assignments of "
                           "readers and writers{}; name some with --readers or --modes",
                           campaign.clients, base.operations, kMostAssignments,
                           campaign.drift_ppm > 0 ? ", and of slow and fast clocks" : ""),
               {}};
}

std::vector<Case> cases_of(const Campaign& campaign) {
  const ProtocolEntry* entry = find_protocol(campaign.base.protocol);
  LATCHLAB_CHECK(entry != nullptr, "a campaign is about a protocol that there is");
  std::vector<Case> cases;
  for (const bool spread : {true, false}) {
    if (!spread && campaign.clients == 1) continue;
    if (campaign.placement == (spread ? Placement::together : Placement::spread)) continue;
    for (const std::vector<std::string>& modes : assignments(campaign, entry->info.shared_mode)) {
      const std::uint32_t nodes = spread ? campaign.clients : 1;
      for (std::vector<std::int64_t>& clocks : clocks_of(campaign, nodes)) {
        Case setup = campaign.base;
        setup.client_nodes = nodes;
        setup.clients_per_node = campaign.clients / nodes;
        setup.modes = modes;
        setup.time.drift_ppm = std::move(clocks);
        cases.push_back(std::move(setup));
      }
    }
  }
  return cases;
}

Verdict run(const Campaign& campaign, const std::function<bool(const CampaignProgress&)>& watch) {
  return Runner(campaign, watch).run();
}

}  // namespace latchlab::explore
