#include "core/scenario/quantities.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/scenario/fields.h"
#include "core/scenario/scenario.h"

namespace latchlab {
namespace {

std::int64_t ps(const char* text) {
  const auto result = parse_duration(text);
  return result ? result.value().ps : -1;
}
std::int64_t count(const char* text) {
  const auto result = parse_count(text);
  return result ? result.value() : -1;
}
std::int64_t ppb(const char* text) {
  const auto result = parse_ratio_ppb(text);
  return result ? result.value() : -1;
}

TEST(Quantities, durations_are_exact_picoseconds) {
  EXPECT_EQ(ps("2us"), 2'000'000);
  EXPECT_EQ(ps("1.5us"), 1'500'000);
  EXPECT_EQ(ps("352.2ns"), 352'200);
  EXPECT_EQ(ps("67.108864ms"), 67'108'864'000);
  EXPECT_EQ(ps("1ps"), 1);
  EXPECT_EQ(ps("0us"), 0);
  EXPECT_EQ(ps("10 ms"), 10'000'000'000);
}

TEST(Quantities, counts_and_sizes_scale_by_their_suffix) {
  EXPECT_EQ(count("10M"), 10'000'000);
  EXPECT_EQ(count("1.5k"), 1'500);
  EXPECT_EQ(count("48"), 48);
  EXPECT_EQ(parse_number(NumberKind::bytes, "4KiB").value(), 4096);
  EXPECT_EQ(parse_number(NumberKind::bytes, "1.5kB").value(), 1500);
  EXPECT_EQ(parse_number(NumberKind::bit_rate, "100Gbps").value(), 100'000'000'000);
  EXPECT_EQ(read_number({quantity(KeyKind::count, "-9", "9"), yaml_text("-5"), "x"}), -5);
}

TEST(Quantities, ratios_are_exact_parts_per_billion) {
  EXPECT_EQ(ppb("40%"), 400'000'000);
  EXPECT_EQ(ppb("0.99"), 990'000'000);
  EXPECT_EQ(ppb("100ppm"), 100'000);
  EXPECT_EQ(ppb("0.001%"), 10'000);
}

TEST(Quantities, wrong_and_missing_units_give_the_expected_form) {
  const std::string wanted = "expected a duration such as 2us (units: ps, ns, us, ms, s)";
  EXPECT_EQ(parse_duration("5").error().message, "'5' has no unit; " + wanted);
  EXPECT_EQ(parse_duration("5GHz").error().message, "'5GHz' has an unknown unit 'GHz'; " + wanted);
  EXPECT_EQ(parse_duration("-5us").error().message, "'-5us' is negative; " + wanted);
  EXPECT_EQ(parse_duration("soon").error().message, "'soon' is not a number; " + wanted);
  EXPECT_EQ(parse_duration("").error().message, "'' is empty; " + wanted);
  EXPECT_EQ(parse_duration("0.1ps").error().message, "'0.1ps' is not a multiple of 1ps; " + wanted);
  EXPECT_EQ(parse_duration("999999999999s").error().message,
            "'999999999999s' is too large; " + wanted);
  EXPECT_FALSE(parse_number(NumberKind::bytes, "64"));
  EXPECT_FALSE(parse_count("1.5"));
  EXPECT_FALSE(parse_count("1e6"));
  EXPECT_FALSE(parse_count("9999999999G"));
  EXPECT_FALSE(parse_duration("1.us"));
  EXPECT_FALSE(parse_duration("123456789012345678901234567890us"));
}

TEST(Quantities, durations_are_written_in_the_shortest_exact_form) {
  EXPECT_EQ(format_duration(Duration{1'500'000}), "1.5us");
  EXPECT_EQ(format_duration(nanoseconds(100)), "100ns");
  EXPECT_EQ(format_duration(milliseconds(20)), "20ms");
  EXPECT_EQ(format_duration(Duration{0}), "0us");
  EXPECT_EQ(format_duration(Duration{352'200}), "352.2ns");
  EXPECT_EQ(format_count(10'000'000), "10M");
  EXPECT_EQ(format_count(1234), "1234");
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_bytes(4096), "4KiB");
  EXPECT_EQ(format_bytes(0), "0B");
  EXPECT_EQ(format_percent(500'000'000), "50%");
  EXPECT_EQ(format_percent(10'000), "0.001%");
  EXPECT_EQ(format_ppm(100'000), "100ppm");
  EXPECT_EQ(format_decimal(990'000'000), "0.99");
  EXPECT_EQ(format_bit_rate(100'000'000'000), "100Gbps");
}

TEST(Quantities, what_is_written_reads_back_as_the_same_value) {
  std::int64_t value = 1;
  for (int i = 0; i < 2'000; ++i) {
    value = static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(value) * 6364136223846793005ULL + 1442695040888963407ULL) >>
        (1 + i % 62));
    ASSERT_EQ(parse_count(format_count(value)).value(), value);
    const std::int64_t time = value % 1'000'000'000'000'000'000;
    ASSERT_EQ(parse_duration(format_duration(Duration{time})).value().ps, time);
    ASSERT_EQ(
        parse_number(NumberKind::bytes, format_bytes(static_cast<std::uint64_t>(value))).value(),
        value);
    const std::int64_t ratio = value % 1'000'000'001;
    ASSERT_EQ(parse_ratio_ppb(format_percent(ratio)).value(), ratio);
    ASSERT_EQ(parse_ratio_ppb(format_decimal(ratio)).value(), ratio);
    ASSERT_EQ(parse_ratio_ppb(format_ppm(ratio)).value(), ratio);
  }
}

}  // namespace
}  // namespace latchlab
