#pragma once
// The load that an open loop offered, and whether it was carried.

#include <cstdint>

namespace latchlab {

// For some clients in one repeat: sums, except that the backlog is the maximum.
struct OpenLoopTally {
  std::uint64_t offered = 0;           // arrivals in the window
  std::uint64_t waited_first_ps = 0;   // summed waiting time of arrivals in its first half
  std::uint64_t waited_second_ps = 0;  // and in its second half
  std::uint64_t backlog_max = 0;       // the most arrivals that waited for one client at once

  void merge(const OpenLoopTally& other);
  // The load was carried unless, on average, more arrivals waited in the second half of the window
  // than in the first: by more than 2% of the arrivals of half a window, and more than three times
  // the square root of that number, which bounds random variation.
  bool carried(std::uint64_t window_ps) const;
  bool operator==(const OpenLoopTally&) const = default;
};

}  // namespace latchlab
