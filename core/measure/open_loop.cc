#include "core/measure/open_loop.h"

#include <algorithm>

namespace latchlab {

void OpenLoopTally::merge(const OpenLoopTally& other) {
  offered += other.offered;
  waited_first_ps += other.waited_first_ps;
  waited_second_ps += other.waited_second_ps;
  backlog_max = std::max(backlog_max, other.backlog_max);
}

bool OpenLoopTally::carried(std::uint64_t window_ps) const {
  const double half_ps = static_cast<double>(window_ps) / 2;
  const double growth =
      (static_cast<double>(waited_second_ps) - static_cast<double>(waited_first_ps)) / half_ps;
  const double half_offered = static_cast<double>(offered) / 2;
  const double beyond = growth - 0.02 * half_offered;
  return beyond <= 0 || beyond * beyond <= 9 * half_offered;
}

}  // namespace latchlab
