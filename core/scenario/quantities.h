#pragma once
// Numbers with units, without rounding: text to integer, and integer to the shortest text that
// reads as the same value. scenario.h declares the parsers of durations, counts and ratios.
// Messages state what was found and what was expected; the caller adds the place.

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/time.h"

namespace latchlab {

inline constexpr std::int64_t kWholePpb = 1'000'000'000;  // 100%

enum class NumberKind : std::uint8_t { count, duration, bytes, ratio, bit_rate, factor };
// In the smallest unit: picoseconds, bytes, parts per billion (also for a factor), bits per second.
Result<std::int64_t> parse_number(NumberKind kind, const std::string& text);
// A measured value as in results.json: a time such as "2.05us" in nanoseconds, anything else as a
// plain number that may carry k, M, G or %.
Result<double> parse_figure(const std::string& text, bool is_time);

// In the largest unit that gives at least one: "31.62us", where format_duration has the shorter
// "31620ns".
std::string format_duration_for_reading(Duration value);
std::string format_count(std::int64_t value);     // 10000000 -> "10M"
std::string format_bytes(std::uint64_t value);    // 4096 -> "4KiB"
std::string format_bit_rate(std::int64_t value);  // "100Gbps"
std::string format_percent(std::int64_t ppb);     // 500000000 -> "50%"
std::string format_ppm(std::int64_t ppb);         // 100000 -> "100ppm"
std::string format_decimal(std::int64_t ppb);     // 990000000 -> "0.99"

}  // namespace latchlab
