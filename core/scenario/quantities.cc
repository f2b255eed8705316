#include "core/scenario/quantities.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>
#include <span>
#include <string_view>

#include "core/scenario/input_error.h"
#include "core/scenario/scenario.h"

namespace latchlab {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// The units of a field, and the texts for its messages.
struct Quantity {
  std::span<const Unit> units;
  std::string_view what;      // "a duration such as 2us (units: ps, ns, us, ms, s)"
  std::string_view smallest;  // "1ps"
};

constexpr Unit kTimes[] = {
    {"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}};
constexpr Unit kDecimals[] = {{"", 1}, {"k", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}};
constexpr Unit kSizes[] = {
    {"B", 1},      {"KiB", 1LL << 10}, {"MiB", 1LL << 20},   {"GiB", 1LL << 30},
    {"kB", 1'000}, {"MB", 1'000'000},  {"GB", 1'000'000'000}};
constexpr Unit kShares[] = {{"", 1'000'000'000}, {"%", 10'000'000}, {"ppm", 1'000}, {"ppb", 1}};
constexpr Unit kRates[] = {{"bps", 1},
                           {"kbps", 1'000},
                           {"Mbps", 1'000'000},
                           {"Gbps", 1'000'000'000},
                           {"Tbps", 1'000'000'000'000}};
constexpr Unit kFactors[] = {{"x", 1'000'000'000}};
// In hundredths.
constexpr Unit kFigures[] = {
    {"", 100}, {"%", 1}, {"k", 100'000}, {"M", 100'000'000}, {"G", 100'000'000'000}};

constexpr Quantity kDuration{kTimes, "a duration such as 2us (units: ps, ns, us, ms, s)", "1ps"};
constexpr Quantity kCount{kDecimals, "a whole number such as 48 or 10M (k, M, G decimal)", "1"};
constexpr Quantity kBytes{kSizes, "a size such as 64B (units: B, KiB, MiB, GiB, kB, MB, GB)", "1B"};
constexpr Quantity kRatio{kShares, "a ratio such as 40%, 0.4 or 100ppm", "1ppb"};
constexpr Quantity kBitRate{
    kRates, "a bit rate such as 100Gbps (units: bps, kbps, Mbps, Gbps, Tbps)", "1bps"};
constexpr Quantity kFactor{kFactors, "a factor such as 4x or 0.5x", "0.000000001x"};
constexpr Quantity kFigure{kFigures, "a number such as 278.3k or 94% (k, M, G decimal)", "1"};

struct Number {
  Wide mantissa = 0;  // the digits without the point
  Wide divisor = 1;   // 10^(digits after the point)
  std::string_view unit;
};

Error wrong(const std::string& text, std::string_view problem, const Quantity& quantity) {
  return Error{fmt::format("{} {}; expected {}", in_quotes(text), problem, quantity.what), ""};
}

constexpr std::size_t kMostDigits = 25;  // times the largest unit: still below 2^128

bool digit(char c) {
  return c >= '0' && c <= '9';
}

// Digits, at most one point with digits on both sides, then the unit.
bool split_number(std::string_view text, Number& number) {
  std::size_t i = 0;
  std::size_t digits = 0;
  bool point = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point && i > 0 && i + 1 < text.size() && digit(text[i + 1])) {
      point = true;
      continue;
    }
    if (!digit(text[i])) break;
    if (++digits > kMostDigits) return false;
    number.mantissa = number.mantissa * 10 + static_cast<Wide>(text[i] - '0');
    if (point) number.divisor *= 10;
  }
  while (i < text.size() && text[i] == ' ') ++i;
  number.unit = text.substr(i);
  return digits > 0;
}

Result<std::int64_t> parse_quantity(const std::string& text, const Quantity& quantity) {
  if (text.empty()) return wrong(text, "is empty", quantity);
  if (text.front() == '-') return wrong(text, "is negative", quantity);
  Number number;
  if (!split_number(text, number)) {
    const bool too_long = digit(text.front());
    return wrong(text, too_long ? "is too large or too fine" : "is not a number", quantity);
  }
  for (const Unit& unit : quantity.units) {
    if (unit.name != number.unit) continue;
    const Wide scaled = number.mantissa * static_cast<Wide>(unit.factor);
    if (scaled % number.divisor != 0)
      return wrong(text, fmt::format("is not a multiple of {}", quantity.smallest), quantity);
    if (scaled / number.divisor > static_cast<Wide>(std::numeric_limits<std::int64_t>::max()))
      return wrong(text, "is too large", quantity);
    return static_cast<std::int64_t>(scaled / number.divisor);
  }
  if (number.unit.empty()) return wrong(text, "has no unit", quantity);
  return wrong(text, "has an unknown unit " + in_quotes(number.unit), quantity);
}

// value / unit as an exact decimal; unit is a power of ten.
std::string decimal(std::int64_t value, std::int64_t unit) {
  std::string text = fmt::format("{}", value / unit);
  std::string fraction;
  for (std::int64_t rest = value % unit, place = unit / 10; rest > 0; place /= 10) {
    fraction += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return fraction.empty() ? text : text + "." + fraction;
}

// The shortest exact text among the units that do not exceed the value.
std::string shortest(std::int64_t value, std::span<const Unit> units) {
  std::string best;
  for (const Unit& unit : units) {
    if (unit.factor > value && !best.empty()) continue;
    const std::string text = decimal(value, unit.factor) + std::string(unit.name);
    if (best.empty() || text.size() < best.size()) best = text;
  }
  return best;
}

}  // namespace

Result<std::int64_t> parse_number(NumberKind kind, const std::string& text) {
  static constexpr const Quantity* quantities[] = {&kCount, &kDuration, &kBytes,
                                                   &kRatio, &kBitRate,  &kFactor};
  return parse_quantity(text, *quantities[static_cast<std::size_t>(kind)]);
}

Result<Duration> parse_duration(const std::string& text) {
  const Result<std::int64_t> ps = parse_quantity(text, kDuration);
  if (!ps) return ps.error();
  return Duration{ps.value()};
}

Result<std::int64_t> parse_count(const std::string& text) {
  return parse_quantity(text, kCount);
}

Result<std::int64_t> parse_ratio_ppb(const std::string& text) {
  return parse_quantity(text, kRatio);
}

Result<double> parse_figure(const std::string& text, bool is_time) {
  if (is_time) {
    const Result<Duration> time = parse_duration(text);
    if (!time) return time.error();
    return static_cast<double>(time.value().ps) / 1e3;
  }
  Number number;
  if (text.starts_with('-')) return wrong(text, "is negative", kFigure);
  if (!split_number(text, number)) return wrong(text, "is not a number", kFigure);
  for (const Unit& unit : kFigures)
    if (unit.name == number.unit)
      return static_cast<double>(number.mantissa * static_cast<Wide>(unit.factor)) /
             static_cast<double>(number.divisor * 100);
  return wrong(text, "has an unknown unit " + in_quotes(number.unit), kFigure);
}

std::string format_duration(Duration value) {
  if (value.ps == 0) return "0us";
  if (value.ps < 0) return fmt::format("{}ps", value.ps);
  return shortest(value.ps, kTimes);
}

std::string format_duration_for_reading(Duration value) {
  std::string text = format_duration(value);
  for (const Unit& unit : kTimes)
    if (unit.factor <= value.ps) text = decimal(value.ps, unit.factor) + std::string(unit.name);
  return text;
}

std::string format_count(std::int64_t value) {
  if (value < 0) return fmt::format("{}", value);
  return shortest(value, kDecimals);
}

std::string format_bytes(std::uint64_t value) {
  for (const auto& [name, shift] :
       {std::pair{"GiB", 30}, std::pair{"MiB", 20}, std::pair{"KiB", 10}})
    if (value != 0 && value % (1ULL << shift) == 0)
      return fmt::format("{}{}", value >> shift, name);
  return fmt::format("{}B", value);
}

std::string format_bit_rate(std::int64_t value) {
  return shortest(value, kRates);
}
std::string format_percent(std::int64_t ppb) {
  return decimal(ppb, 10'000'000) + "%";
}
std::string format_ppm(std::int64_t ppb) {
  return decimal(ppb, 1'000) + "ppm";
}
std::string format_decimal(std::int64_t ppb) {
  return decimal(ppb, 1'000'000'000);
}

}  // namespace latchlab
