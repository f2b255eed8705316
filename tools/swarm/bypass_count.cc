#include "tools/swarm/bypass_count.h"

#include <fmt/format.h>

#include <algorithm>

namespace latchlab::swarm {

void BypassCount::judge_pair(const Protocol& protocol, std::uint64_t number, const Lock& lock,
                             LockMode waiter, LockMode winner, Worst& all) {
  const auto bound = protocol.bypass_bound(waiter, winner, lock.requests);
  const Bypasses& most =
      lock.most[static_cast<std::size_t>(waiter)][static_cast<std::size_t>(winner)];
  if (!bound) {
    all.unclaimed = std::max(all.unclaimed, most.times);
    return;
  }
  if (!all.bound || most.times > all.claimed) all.bound = bound;
  all.claimed = std::max(all.claimed, most.times);
  if (most.times <= *bound || !all.broken.empty()) return;
  all.broken = fmt::format(
      "lock {}: client {}, who asked for it {}, was bypassed {} times by such that asked {}, "
      "last by client {}; at most {} are claimed",
      number, most.waiter, name_of(waiter), most.times, name_of(winner), most.winner, *bound);
}

}  // namespace latchlab::swarm
