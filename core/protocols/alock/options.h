#pragma once
// ALock's switches, and the layout of a lock's entry and of a request.

#include <cstdint>

#include "core/base/time.h"

namespace latchlab::alock {

enum class Enqueue : std::uint8_t { cas_loop, single_cas, exchange };
enum class Yield : std::uint8_t { write, batched, cas_loop };
enum class Cohorts : std::uint8_t { two, one };
enum class WaitWhile : std::uint8_t { both, either };

struct Options {
  Cohorts cohorts = Cohorts::two;
  std::uint64_t remote_budget = 20;
  std::uint64_t local_budget = 5;
  Enqueue enqueue = Enqueue::cas_loop;
  Yield victim = Yield::write;
  WaitWhile wait_while = WaitWhile::both;
  bool next_first = false;
  bool whole_lock = false;
  Duration poll_pause = {};
  std::uint32_t max_held = 16;
};

enum class Cohort : std::uint8_t { none, local, remote };  // the values of the victim word

constexpr Cohort other(Cohort cohort) {
  return cohort == Cohort::local ? Cohort::remote : Cohort::local;
}

inline constexpr std::uint64_t kEntryBytes = 64;
inline constexpr std::uint64_t kRemoteTail = 0;
inline constexpr std::uint64_t kLocalTail = 16;
inline constexpr std::uint64_t kVictim = 32;

constexpr std::uint64_t tail_of(Cohort cohort) {
  return cohort == Cohort::local ? kLocalTail : kRemoteTail;
}

inline constexpr std::uint64_t kRequestBytes = 64;
inline constexpr std::uint64_t kBudget = 0;  // budget + 1; 0: not granted yet
inline constexpr std::uint64_t kNext = 32;

// True if a leader that sees these two values, possibly read at different times, may acquire.
constexpr bool may_enter(WaitWhile wait_while, Cohort me, std::uint64_t other_tail,
                         std::uint64_t victim) {
  const bool alone = other_tail == 0;
  const bool others_yield = victim != static_cast<std::uint64_t>(me);
  return wait_while == WaitWhile::both ? alone || others_yield : alone && others_yield;
}

}  // namespace latchlab::alock
