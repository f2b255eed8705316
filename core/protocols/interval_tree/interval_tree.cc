#include "core/protocols/interval_tree/interval_tree.h"

#include "core/protocols/common/range_server/manager.h"
#include "core/protocols/interval_tree/line.h"

namespace latchlab {
namespace {

std::unique_ptr<range_server::ObjectRanges> ranges_of_interval_tree(
    const range_server::Options& /*options*/) {
  return std::make_unique<interval_tree::LineOfRanges>();
}

constexpr range_server::Kind kIntervalTree{.make_ranges = ranges_of_interval_tree,
                                           .first_come = true,
                                           .note = LATCHLAB_RANGE_SERVER_PATHS("interval_tree")};

struct IntervalOptions : range_server::Options {
  IntervalOptions() {
    kind = &kIntervalTree;
    step = nanoseconds(46);
  }
};

class Interval final : public range_server::Manager {
 public:
  using Options = IntervalOptions;
  using Manager::Manager;
};

}  // namespace

ProtocolEntry interval_tree_entry() {
  Description<IntervalOptions> lock =
      range_server::describe<IntervalOptions>("CPU time for each tree node visited");
  lock.name = "interval_tree";
  lock.summary = "interval tree of held and requested ranges, on the server's CPU";
  lock.source = "CITRON (FAST'23) Table 1, its IT; Lustre's range_lock";
  lock.ranges = true;
  lock.fairness = "first come, first served among ranges that overlap";
  return make_entry<Interval>(lock);
}

}  // namespace latchlab
