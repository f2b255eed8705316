// Arithmetic of times at the limits: no overflow, and "never" stays never.
#include "core/base/time.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace latchlab {
namespace {

__extension__ typedef __int128 Exact;  // NOLINT(modernize-use-using)

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

const std::vector<std::int64_t> kEnds = {kLeast,
                                         kLeast + 1,
                                         kLeast + 50'000'000,
                                         kLeast / 2,
                                         -3'600'000'000'000'000,
                                         -50'000'000,
                                         -1,
                                         0,
                                         1,
                                         50'000'000,
                                         kMost / 2,
                                         kMost / 2 + 1,
                                         kMost - 50'000'000,
                                         kMost - 1,
                                         kMost,
                                         1'000'000'000'000'000};

std::int64_t clamped(Exact exact) {
  if (exact > kMost) return kMost;
  return exact < kLeast ? kLeast : static_cast<std::int64_t>(exact);
}

TEST(SaturatingAdd, is_exact_between_its_limits_and_saturates_at_them) {
  for (const std::int64_t date : kEnds) {
    for (const std::int64_t length : kEnds) {
      const bool never = date == kMost || length == kMost;
      const std::int64_t expected = never ? kMost : clamped(Exact{date} + length);
      EXPECT_EQ(saturating_add(Time{date}, Duration{length}).ps, expected)
          << date << " + " << length;
    }
  }
}

TEST(TimeUntil, is_exact_between_its_limits_and_saturates_at_them) {
  for (const std::int64_t date : kEnds) {
    for (const std::int64_t now : kEnds) {
      const std::int64_t expected = date == kMost ? kMost : clamped(Exact{date} - now);
      EXPECT_EQ(time_until(Time{date}, Time{now}).ps, expected) << date << " - " << now;
    }
  }
}

TEST(SaturatingAdd, of_a_negative_time_does_not_become_never) {
  const Time now = Time{} - microseconds(50);
  EXPECT_EQ(saturating_add(now, microseconds(3)), now + microseconds(3));
  EXPECT_EQ(saturating_add(now, kForever), kNever);
  EXPECT_EQ(saturating_add(kNever, microseconds(-3)), kNever);
  EXPECT_EQ(time_until(kNever, now), kForever);
  EXPECT_EQ(time_until(Time{}, now), microseconds(50));
}

static_assert(saturating_add(Time{-1}, kForever) == kNever);  // no overflow: it would not compile

}  // namespace
}  // namespace latchlab
