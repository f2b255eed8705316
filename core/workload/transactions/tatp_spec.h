#pragma once
// What a user can choose of TATP (tatp.h).

#include <cstdint>

namespace latchlab {

struct TatpSpec {
  std::uint64_t subscribers = 100'000;  // kFewestSubscribers to kMostSubscribers
  bool original = false;                // as FissLock's generator has it, not the specification
  std::uint64_t population = 1;         // a seed of its own: of who has which rows
};

inline constexpr std::uint64_t kFewestSubscribers = 2, kMostSubscribers = 10'000'000;

// By this one 100,000 subscribers need 680,236 locks, as ShiftLock's had (4.4); none smaller does.
inline constexpr std::uint64_t kShiftLockPopulation = 386;

}  // namespace latchlab
