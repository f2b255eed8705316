#include "core/protocols/common/range_server/holders.h"

#include <algorithm>

#include "core/protocols/common/planted.h"

namespace latchlab::range_server {

bool HolderRanges::acquire(const Asked& asked, const PendingCall& call) {
  const Held wanted{asked.span, asked.who};
  if (const std::optional<Asker> holder = structure_.try_insert(wanted)) {
    waiting_.push_back({wanted, *holder, call});
    return false;
  }
  holders_[asked.who] = asked.span;
  return true;
}

// Returns the holder that it has to wait for now; none: its range has been inserted.
std::optional<Asker> HolderRanges::in_the_way(const Held& wanted, const std::vector<Held>& let_in) {
  if (tries_ == Tries::those_that_fit)
    for (const Held& each : let_in)
      if (meet(each.span, wanted.span)) return each.who;
  return structure_.try_insert(wanted);
}

void HolderRanges::release(const Asker& who, Calls& granted) {
  const auto found = holders_.find(who);
  if (found == holders_.end()) return;
  structure_.erase({found->second, who});
  holders_.erase(found);
  std::vector<Held> let_in;
  for (auto waiter = waiting_.begin(); waiter != waiting_.end();) {
    if (waiter->behind != who) {
      ++waiter;
    } else if (const std::optional<Asker> holder = in_the_way(waiter->wanted, let_in)) {
      meets_another_();
      if (!PLANTED(common_keeps_waiting_for_who_has_left)) waiter->behind = *holder;
      ++waiter;
    } else {
      holders_[waiter->wanted.who] = waiter->wanted.span;
      let_in.push_back(waiter->wanted);
      granted.push_back(waiter->call);
      waiter = waiting_.erase(waiter);
    }
  }
}

std::optional<PendingCall> HolderRanges::withdraw(const Asker& who, Calls& /*granted*/) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiter& each) { return each.wanted.who == who; });
  if (found == waiting_.end()) return std::nullopt;
  const PendingCall call = found->call;
  waiting_.erase(found);
  return call;
}

}  // namespace latchlab::range_server
