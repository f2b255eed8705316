#include "core/protocols/interval_tree/line.h"

#include <utility>

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"

namespace latchlab::interval_tree {

bool LineOfRanges::acquire(const range_server::Asked& asked, const PendingCall& call) {
  OfOne one{asked.span, came_++, 0, call};
  for (const IntervalTree::Sharing* sharing : tree_.meeting(asked.span)) {
    if (PLANTED(interval_tree_passes_who_waits) && !holds(sharing->front())) continue;
    if (sharing->size() > 1) LATCHLAB_PATH("interval_tree: several with one range are ahead");
    one.ahead += sharing->size();
  }
  tree_.insert(asked.span, asked.who);
  if (one.ahead > 0) ++waiters_;
  requests_[asked.who] = one;
  return one.ahead == 0;
}

void LineOfRanges::release(const Asker& who, Calls& granted) {
  const auto found = requests_.find(who);
  if (found != requests_.end()) leave(found, granted);
}

std::optional<PendingCall> LineOfRanges::withdraw(const Asker& who, Calls& granted) {
  const auto found = requests_.find(who);
  if (found == requests_.end()) return std::nullopt;
  const PendingCall call = found->second.call;
  --waiters_;
  leave(found, granted);
  if (!granted.empty())
    LATCHLAB_PATH("interval_tree: a client that stops waiting unblocks other clients");
  return call;
}

void LineOfRanges::leave(std::map<Asker, OfOne>::iterator one, Calls& granted) {
  const OfOne gone = one->second;
  tree_.erase(gone.span, one->first);
  requests_.erase(one);
  if (requests_.empty()) came_ = 0;
  for (const IntervalTree::Sharing* sharing : tree_.meeting(gone.span)) {
    if (PLANTED(interval_tree_tells_one_of_several) && !granted.empty()) break;
    for (const Asker& each : *sharing) {
      ++sharing_;
      OfOne& other = requests_.at(each);
      if (other.order < gone.order && !PLANTED(interval_tree_counts_all_down)) continue;
      if (other.ahead == 0) continue;
      --other.ahead;
      if (other.ahead > 0) continue;
      --waiters_;
      granted.push_back(other.call);
    }
  }
}

bool LineOfRanges::holds(const Asker& who) const {
  const auto found = requests_.find(who);
  return found != requests_.end() && found->second.ahead == 0;
}

std::uint64_t LineOfRanges::take_steps() {
  return tree_.take_steps() + std::exchange(sharing_, 0);
}

}  // namespace latchlab::interval_tree
