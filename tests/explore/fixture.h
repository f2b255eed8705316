#pragma once
// Campaigns for the tests of the search.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/explore/campaign.h"

namespace latchlab::explore {

inline Campaign about(const std::string& protocol, std::uint32_t clients,
                      std::uint32_t operations) {
  Campaign campaign;
  campaign.base.protocol = protocol;
  campaign.base.operations = operations;
  campaign.clients = clients;
  return campaign;
}

inline Campaign with_crash(Campaign campaign) {
  campaign.base.crashes = 1;
  return campaign;
}

inline Campaign with_sets(Campaign campaign, std::vector<std::string> sets) {
  campaign.base.sets = std::move(sets);
  return campaign;
}

// The printed ShiftLock, small enough for its deadlock: handovers lose Epoch.
inline Campaign printed_shiftlock() {
  Campaign campaign =
      with_sets(about("shiftlock", 5, 1), {"recovery=false", "max_consecutive_writers=1"});
  campaign.base.profile = "paper";
  campaign.readers = 1;
  campaign.placement = Placement::spread;
  return campaign;
}

inline std::set<Violation> kinds(const std::vector<Counterexample>& counterexamples) {
  std::set<Violation> kinds;
  for (const Counterexample& counterexample : counterexamples)
    kinds.insert(counterexample.violation);
  return kinds;
}

inline std::set<Violation> kinds(const Verdict& verdict) {
  std::set<Violation> kinds;
  for (const Trace& trace : verdict.counterexamples) kinds.insert(trace.counterexample.violation);
  return kinds;
}

}  // namespace latchlab::explore
