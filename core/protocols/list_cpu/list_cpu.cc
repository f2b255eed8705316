#include "core/protocols/list_cpu/list_cpu.h"

#include <iterator>

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/common/range_server/manager.h"

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

namespace latchlab {
namespace {

using range_server::HoldersIn;
using range_server::ObjectRanges;

std::unique_ptr<ObjectRanges> ranges_of_list_cpu(const range_server::Options& options) {
  return std::make_unique<HoldersIn<list_cpu::RangeList>>(
      [] { LATCHLAB_PATH("list_cpu: a range that tries again meets another holder"); },
      options.tries);
}

constexpr range_server::Kind kListOnCpu{.make_ranges = ranges_of_list_cpu,
                                        .one_at_a_time = false,
                                        .note = LATCHLAB_RANGE_SERVER_PATHS("list_cpu")};

struct ListOptions : range_server::Options {
  ListOptions() {
    kind = &kListOnCpu;
    step = nanoseconds(14);
  }
};

class ListCpu final : public range_server::Manager {
 public:
  using Options = ListOptions;
  using Manager::Manager;
};

}  // namespace

ProtocolEntry list_cpu_entry() {
  Description<ListOptions> lock =
      range_server::describe<ListOptions>("CPU time for each list node visited");
  lock.name = "list_cpu";
  lock.summary = "list of ranges on the server's CPU, traversed by its cores concurrently";
  lock.source = "CITRON (FAST'23) Table 1, its LLC; Kogan, Dice and Issa (EuroSys'20)";
  lock.ranges = true;
  lock.fairness = "none between ranges that overlap";
  lock.params.push_back(
      {"tries", &ListOptions::tries, "all|those_that_fit", range_server::kTriesHelp});
  return make_entry<ListCpu>(lock);
}

}  // namespace latchlab
