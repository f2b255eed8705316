#pragma once
// Numbers with units, exactly: text to integer and back to the shortest text that reads the same.
// The parsers of durations, counts, bytes and ratios are declared in scenario.h; here is the rest.
// Messages say what was found and what was expected; the caller adds the place.

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/time.h"

namespace latchlab {

inline constexpr std::int64_t kWholePpb = 1'000'000'000;  // 100%

enum class NumberKind : std::uint8_t { count, duration, bytes, ratio, bit_rate, factor };
// In the smallest unit: picoseconds, bytes, parts per billion (of a factor too), bits per second.
Result<std::int64_t> parse_number(NumberKind kind, const std::string& text);
// A measured value, as results.json has it: times as nanoseconds ("2.05us"), all else as a plain
// number that may carry k, M, G or %.
Result<double> parse_figure(const std::string& text, bool is_time);

// In the largest unit of which it is one or more, where format_duration has the shortest text:
// "31.62us", not "31620ns".
std::string format_duration_for_reading(Duration value);
std::string format_count(std::int64_t value);     // 10000000 -> "10M"
std::string format_bytes(std::uint64_t value);    // 4096 -> "4KiB"
std::string format_bit_rate(std::int64_t value);  // "100Gbps"
std::string format_percent(std::int64_t ppb);     // 500000000 -> "50%"
std::string format_ppm(std::int64_t ppb);         // 100000 -> "100ppm"
std::string format_decimal(std::int64_t ppb);     // 990000000 -> "0.99"

}  // namespace latchlab
