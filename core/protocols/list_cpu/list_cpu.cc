#include "core/protocols/list_cpu/list_cpu.h"

#include "core/protocols/common/range_server/manager.h"
#include "core/protocols/list_cpu/list.h"

namespace latchlab {
namespace {

using range_server::HoldersIn;
using range_server::ObjectRanges;

std::unique_ptr<ObjectRanges> make_ranges(const range_server::Options& options) {
  return std::make_unique<HoldersIn<list_cpu::RangeList>>(
      [] { LATCHLAB_PATH("list_cpu: a range that tries again meets another holder"); },
      options.tries);
}

constexpr range_server::Kind kKind{.make_ranges = make_ranges,
                                   .one_at_a_time = false,
                                   .note = LATCHLAB_RANGE_SERVER_PATHS("list_cpu")};

struct ListOptions : range_server::Options {
  ListOptions() {
    kind = &kKind;
    step = nanoseconds(5);
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
