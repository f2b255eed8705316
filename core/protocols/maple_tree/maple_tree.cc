#include "core/protocols/maple_tree/maple_tree.h"

#include "core/protocols/common/range_server/manager.h"
#include "core/protocols/maple_tree/b_tree.h"

namespace latchlab {
namespace {

using range_server::HoldersIn;
using range_server::ObjectRanges;

std::unique_ptr<ObjectRanges> ranges_of_maple_tree(const range_server::Options& options) {
  return std::make_unique<HoldersIn<maple_tree::RangeTree>>(
      [] { LATCHLAB_PATH("maple_tree: a range that tries again meets another holder"); },
      options.tries);
}

constexpr range_server::Kind kMapleTree{.make_ranges = ranges_of_maple_tree,
                                        .note = LATCHLAB_RANGE_SERVER_PATHS("maple_tree")};

struct MapleOptions : range_server::Options {
  MapleOptions() {
    kind = &kMapleTree;
    step = nanoseconds(167);
  }
};

class MapleTree final : public range_server::Manager {
 public:
  using Options = MapleOptions;
  using Manager::Manager;
};

}  // namespace

ProtocolEntry maple_tree_entry() {
  Description<MapleOptions> lock =
      range_server::describe<MapleOptions>("CPU time for each tree node visited, added or merged");
  lock.name = "maple_tree";
  lock.summary = "B-tree of disjoint ranges on the server's CPU";
  lock.source = "CITRON (FAST'23) Table 1, its MT; the Linux kernel's maple tree";
  lock.ranges = true;
  lock.fairness = "none between ranges that overlap";
  lock.params.push_back(
      {"tries", &MapleOptions::tries, "all|those_that_fit", range_server::kTriesHelp});
  return make_entry<MapleTree>(lock);
}

}  // namespace latchlab
