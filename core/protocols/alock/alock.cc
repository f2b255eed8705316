// Assembles ALock from its parts. alock.h describes the lock.

#include "core/protocols/alock/alock.h"

#include <algorithm>

#include "core/protocols/alock/client.h"
#include "core/protocols/common/entry.h"

namespace latchlab {
namespace {

using AlockOptions = alock::Options;
using alock::Cohort;

std::string request_in_words(std::uint64_t tail) {
  if (tail == 0) return "none";
  const RemoteAddr request = RemoteAddr::unpack(tail);
  return "node " + std::to_string(request.node.value) + "+" + std::to_string(request.offset);
}

class Alock final : public ProtocolOf<AlockOptions, alock::Client> {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    return {.entry_bytes = alock::kEntryBytes,
            .entry_align = alock::kEntryBytes,
            .client_bytes = options_.max_held * alock::kRequestBytes};
  }
  Limits limits() const override {
    return {.held_at_once = options_.max_held, .clients_alike = true};
  }
  std::vector<Capability> needs() const override {
    std::vector<Capability> needed = {Capability::local_words};
    if (options_.enqueue == alock::Enqueue::exchange)
      needed.push_back(Capability::masked_atomics_8);
    return needed;
  }
  // ALock (SPAA'24) 5, "Adding Fairness": the lock is released after a bounded number of cohort
  // acquisitions, and a waiting thread cannot be overtaken. In numbers, for a request with `ahead`
  // requests of its own cohort before it: no client of its cohort passes it. The other cohort may
  // finish its turn when the leader has put itself into the tail, and have another turn when the
  // leader has named itself the victim; then it has one turn between two turns of the request's
  // cohort.
  std::optional<std::uint32_t> bypass_bound(LockMode, LockMode,
                                            std::uint64_t acquisitions) const override {
    if (options_.enqueue != alock::Enqueue::exchange) return std::nullopt;
    if (options_.cohorts == alock::Cohorts::one) return 0;
    return std::max(passed(options_.local_budget, options_.remote_budget, acquisitions),
                    passed(options_.remote_budget, options_.local_budget, acquisitions));
  }
  // The victim keeps its value.
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    return words[alock::kRemoteTail / 8] == 0 && words[alock::kLocalTail / 8] == 0;
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    constexpr const char* kVictims[] = {"none", "local", "remote"};
    const std::uint64_t remote = words[alock::kRemoteTail / 8];
    const std::uint64_t local = words[alock::kLocalTail / 8];
    const std::uint64_t victim = words[alock::kVictim / 8];
    std::string text = "free";
    if (remote != 0 || local != 0)
      text = "tails: remote " + request_in_words(remote) + ", local " + request_in_words(local);
    return text + "; victim " + (victim < 3 ? kVictims[victim] : "?");
  }

 private:
  // The maximum over all `ahead`: a request that was ahead cannot also have passed.
  static std::uint32_t passed(std::uint64_t own_budget, std::uint64_t others_budget,
                              std::uint64_t acquisitions) {
    const std::uint64_t all = std::clamp<std::uint64_t>(acquisitions, 1, 1ULL << 31);
    const auto by_turns = [&](std::uint64_t ahead) {
      return others_budget * (ahead / own_budget + 2) - 1;
    };
    const auto by_count = [&](std::uint64_t ahead) { return all - 1 - ahead; };
    std::uint64_t least = 0;  // the smallest `ahead` at which by_count is the bound
    for (std::uint64_t most = all - 1; least < most;) {
      const std::uint64_t middle = least + (most - least) / 2;
      if (by_turns(middle) >= by_count(middle)) {
        most = middle;
      } else {
        least = middle + 1;
      }
    }
    return static_cast<std::uint32_t>(by_count(least));  // at least as many as by_turns before it
  }
};

}  // namespace

ProtocolEntry alock_entry() {
  return make_entry<Alock>(
      {.name = "alock",
       .summary = "two queues, one of clients on the lock's node (by CPU), one of remote clients "
                  "(by RNIC); Peterson's algorithm between the two",
       .source = "Baran et al.: ALock (SPAA'24), algorithms 1 to 4",
       .fairness = "cohorts alternate after 20 (remote) and 5 (local) acquisitions; first come, "
                   "first served within the local cohort",
       .handover = "a WRITE into the successor's memory; on the lock's node a CPU store",
       .costs = {.free_exclusive = {{3, 0, 0, 6}, {1, 0, 0, 2}},
                 .exclusive_after_exclusive = {{3, 0, 0, 3}, {2, 0, 0, 4}}},
       .params =
           {{"cohorts", &AlockOptions::cohorts, "two|one",
             "two: clients on the lock's node queue by CPU, remote clients by RNIC; one: all "
             "clients queue by RNIC, in one queue without budgets (the paper's RDMA-MCS baseline)"},
            {"remote_budget", &AlockOptions::remote_budget, 1, 1'000'000,
             "acquisitions by the remote cohort in a row while the local cohort waits (ALock 6, "
             "Figure 4)"},
            {"local_budget", &AlockOptions::local_budget, 1, 1'000'000,
             "acquisitions by the local cohort in a row while the remote cohort waits (ALock 6, "
             "Figure 4)"},
            {"enqueue", &AlockOptions::enqueue, "cas_loop|single_cas|exchange",
             "how a remote request writes itself into the tail: by CAS until one matches (text of "
             "section 5; artifact), by one CAS (Algorithm 3 as printed: deadlock), or by a masked "
             "CAS that compares nothing (one step, as the TLA+ swap)"},
            {"victim", &AlockOptions::victim, "write|batched|cas_loop",
             "how a remote leader yields: by a WRITE, then a READ (Algorithm 4); by both with one "
             "doorbell; or by CAS until one matches (artifact)"},
            {"wait_while", &AlockOptions::wait_while, "both|either",
             "both: a leader waits while the other cohort's tail is set and its own cohort is the "
             "victim (Peterson; TLA+; artifact); either: while one of the two holds (Algorithm 4 "
             "as printed: deadlock)"},
            {"next_first", &AlockOptions::next_first,
             "a local release checks for a successor before its CAS (artifact: yes)"},
            {"whole_lock", &AlockOptions::whole_lock,
             "a remote leader READs all 64 bytes of the entry instead of the 24 that it uses "
             "(artifact: yes)"},
            {"poll_pause", &AlockOptions::poll_pause, Duration{}, milliseconds(10),
             "pause between two READs of a remote leader (ALock 5.2, artifact: none)"},
            {"max_held", &AlockOptions::max_held, 1, 64,
             "how many locks one client may hold or wait for at once (a thread of the paper: 1; "
             "assumed)"}},
       .profiles = {{"paper",
                     "ALock (SPAA'24); as its text says where algorithms 3 and 4 are misprinted"},
                    {"artifact",
                     "ALock artifact, as its configuration ships",
                     {{"remote_budget", 5},
                      {"victim", "cas_loop"},
                      {"next_first", true},
                      {"whole_lock", true}}},
                    {"rdma_mcs",
                     "ALock (SPAA'24) 6 and its artifact, the RDMA-MCS baseline",
                     {{"cohorts", "one"}}},
                    {"tla",
                     "the TLA+ module of ALock's appendix, budget 1 as in its configuration",
                     {{"remote_budget", 1}, {"local_budget", 1}, {"enqueue", "exchange"}}}},
       .printed = {"enqueue=single_cas", "wait_while=either"},
       .small_model = {{"remote_budget", 2}, {"local_budget", 1}, {"max_held", 1}}});
}

}  // namespace latchlab
