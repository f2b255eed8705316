#pragma once
// Time in integer picoseconds: exact sums, and no floating point in any decision about an event.
// int64 holds 106 days.

#include <compare>
#include <cstdint>
#include <limits>

namespace latchlab {

struct Duration {
  std::int64_t ps = 0;

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration other) const { return {ps + other.ps}; }
  constexpr Duration operator-(Duration other) const { return {ps - other.ps}; }
  constexpr Duration operator*(std::int64_t factor) const { return {ps * factor}; }
  constexpr Duration operator/(std::int64_t divisor) const { return {ps / divisor}; }
  constexpr Duration& operator+=(Duration other) {
    ps += other.ps;
    return *this;
  }
  constexpr double nanoseconds() const { return static_cast<double>(ps) / 1e3; }
  constexpr double seconds() const { return static_cast<double>(ps) / 1e12; }
};

// A point in time on one clock. The source of the value documents the clock (a node's drifting
// clock, or the simulation's true time); times of two clocks are never compared.
struct Time {
  std::int64_t ps = 0;

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time operator+(Duration length) const { return {ps + length.ps}; }
  constexpr Time operator-(Duration length) const { return {ps - length.ps}; }
  constexpr Duration operator-(Time earlier) const { return {ps - earlier.ps}; }
};

inline constexpr Time kNever{std::numeric_limits<std::int64_t>::max()};
inline constexpr Duration kForever{std::numeric_limits<std::int64_t>::max()};

constexpr Duration picoseconds(std::int64_t n) {
  return {n};
}
constexpr Duration nanoseconds(std::int64_t n) {
  return {n * 1'000};
}
constexpr Duration microseconds(std::int64_t n) {
  return {n * 1'000'000};
}
constexpr Duration milliseconds(std::int64_t n) {
  return {n * 1'000'000'000};
}
constexpr Duration seconds(std::int64_t n) {
  return {n * 1'000'000'000'000};
}

// These two do not overflow. Either operand may be "never" or "for ever", and then so is the
// result. Times may be negative: a slow clock shows less than at the start.
constexpr Time saturating_add(Time date, Duration length) {
  if (date == kNever || length == kForever) return kNever;
  Time sum;
  if (!__builtin_add_overflow(date.ps, length.ps, &sum.ps)) return sum;
  return length.ps > 0 ? kNever : Time{std::numeric_limits<std::int64_t>::min()};
}

// base * 2^shift without overflow, at most `bound`.
constexpr Duration doubled(Duration base, std::uint64_t shift, Duration bound) {
  if (base.ps <= 0) return {};
  if (shift >= 62 || base.ps > (bound.ps >> shift)) return bound;
  return Duration{base.ps << shift};
}

// From `now` until `date`; negative if `date` has passed.
constexpr Duration time_until(Time date, Time now) {
  if (date == kNever) return kForever;
  Duration left;
  if (!__builtin_sub_overflow(date.ps, now.ps, &left.ps)) return left;
  return date > now ? kForever : Duration{std::numeric_limits<std::int64_t>::min()};
}

}  // namespace latchlab
