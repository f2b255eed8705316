#include "core/workload/grouped.h"

#include <algorithm>
#include <utility>

namespace latchlab {

Result<std::unique_ptr<GroupedWorkload>> GroupedWorkload::make(std::vector<MicroSetup> setups) {
  auto made = std::make_unique<GroupedWorkload>();
  for (MicroSetup& setup : setups) {
    made->ends_.push_back(setup.first_client + setup.clients);
    auto group = MicroWorkload::make(std::move(setup));
    if (!group) return group.error();
    made->groups_.push_back(std::move(group).value());
  }
  return made;
}

std::uint32_t GroupedWorkload::held_at_once() const {
  std::uint32_t most = 1;
  for (const auto& group : groups_) most = std::max(most, group->held_at_once());
  return most;
}

}  // namespace latchlab
