#pragma once
// Time in integer picoseconds: exact sums, no floating point in anything that decides an event.
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

// A date on some clock. Which clock (a node's drifting one, the simulation's true one) is said
// where the value comes from; dates of two clocks are never compared.
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

// No overflow in these two. Either operand may be "never" or "for ever", which stays so, and dates
// may be negative: a clock that falls back shows less than at the start.
constexpr Time saturating_add(Time date, Duration length) {
  if (date == kNever || length == kForever) return kNever;
  Time sum;
  if (!__builtin_add_overflow(date.ps, length.ps, &sum.ps)) return sum;
  return length.ps > 0 ? kNever : Time{std::numeric_limits<std::int64_t>::min()};
}

// From `now` until `date`; negative if that has passed.
constexpr Duration time_until(Time date, Time now) {
  if (date == kNever) return kForever;
  Duration left;
  if (!__builtin_sub_overflow(date.ps, now.ps, &left.ps)) return left;
  return date > now ? kForever : Duration{std::numeric_limits<std::int64_t>::min()};
}

}  // namespace latchlab
