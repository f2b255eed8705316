#pragma once
// What a user can select for TATP (tatp.h).

#include <cstdint>

namespace latchlab {

struct TatpSpec {
  std::uint64_t subscribers = 100'000;  // kFewestSubscribers to kMostSubscribers
  bool original = false;                // FissLock's generator instead of the specification
  std::uint64_t population = 1;         // a separate seed, for which rows subscribers have
};

inline constexpr std::uint64_t kFewestSubscribers = 2, kMostSubscribers = 10'000'000;

// With this seed 100,000 subscribers need 680,236 locks, as ShiftLock's (4.4); no smaller one does.
inline constexpr std::uint64_t kShiftLockPopulation = 386;

}  // namespace latchlab
