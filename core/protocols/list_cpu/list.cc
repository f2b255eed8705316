#include "core/protocols/list_cpu/list.h"

#include <iterator>

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"

namespace latchlab::list_cpu {

using range_server::Asker;
using range_server::Held;
using range_server::Span;

std::optional<Asker> RangeList::try_insert(const Held& held) {
  const Span& span = held.span;
  auto before = nodes_.before_begin();
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    step();
    const Span& there = at->held.span;
    if (at->marked != 0) {
      LATCHLAB_PATH("list_cpu: a walk unlinks a range that has been released");
      at = nodes_.erase_after(before);
    } else if (there.last < span.first ||
               (PLANTED(list_cpu_lets_ends_meet) && there.last == span.first)) {
      before = at++;
    } else if (span.last < there.first) {
      break;
    } else {
      return at->held.who;
    }
  }
  step();
  nodes_.insert_after(before, Node{held});
  return std::nullopt;
}

// The holder knows its node, so this search stands for a pointer and counts no steps.
bool RangeList::erase(const Held& held) {
  for (Node& node : nodes_) {
    const bool own = node.held.who == held.who;
    if (node.marked != 0 || !(own || PLANTED(list_cpu_marks_the_first))) continue;
    step();
    node.marked = 1;
    return true;
  }
  return false;
}

std::size_t RangeList::nodes() const {
  return static_cast<std::size_t>(std::distance(nodes_.begin(), nodes_.end()));
}

}  // namespace latchlab::list_cpu
