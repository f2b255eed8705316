#include "core/base/fingerprint.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/secret.h"

namespace latchlab {
namespace {

TEST(Secrets, fill_all_bits_and_are_unpredictable) {
  std::uint64_t ever = 0, always = ~std::uint64_t{0}, before = 0;
  std::set<std::uint64_t> steps;
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t secret = secret_u64();
    ever |= secret;
    always &= secret;
    steps.insert(secret - before);
    before = secret;
  }
  EXPECT_EQ(ever, ~std::uint64_t{0});
  EXPECT_EQ(always, 0U);
  EXPECT_EQ(steps.size(), 64U);
}

TEST(Fingerprint, is_written_as_sixteen_hexadecimal_digits) {
  EXPECT_EQ(Fingerprint().text(), "0000006c61746368");
}

// A change of this value makes all stored results differ from those of new runs.
TEST(Fingerprint, of_some_words_is_the_same_everywhere) {
  Fingerprint fingerprint;
  fingerprint.add(1);
  EXPECT_EQ(fingerprint.text(), "7d88e8ecde4a44e4");
  fingerprint.add(2);
  EXPECT_EQ(fingerprint.text(), "f37370f1a268896f");
}

TEST(Fingerprint, depends_on_the_order_of_words_and_not_on_their_grouping) {
  Fingerprint single, together, reversed;
  single.add(1);
  single.add(2);
  together.add({1, 2});
  reversed.add({2, 1});
  EXPECT_EQ(together.value(), single.value());
  EXPECT_NE(reversed.value(), single.value());
}

TEST(RunFingerprint, does_not_depend_on_the_order_in_which_events_are_added) {
  RunFingerprint one, other;
  one.add(10, {1, 2});
  one.add(20, {3});
  other.add(20, {3});
  other.add(10, {1, 2});
  EXPECT_EQ(one.value(), other.value());
  EXPECT_EQ(one.text(), other.text());
}

TEST(RunFingerprint, depends_on_times_words_their_order_and_their_number) {
  const auto of = [](std::uint64_t date, std::uint64_t first, std::uint64_t second, int times) {
    RunFingerprint made;
    for (int i = 0; i < times; ++i) made.add(date, {first, second});
    return made.value();
  };
  const std::set<std::uint64_t> all = {of(1, 2, 3, 1), of(2, 2, 3, 1), of(1, 3, 2, 1),
                                       of(1, 2, 4, 1), of(1, 2, 3, 2), of(1, 2, 3, 0)};
  EXPECT_EQ(all.size(), 6U);
}

// A change of this value makes all stored results differ from those of new runs.
TEST(RunFingerprint, of_an_event_is_the_same_everywhere) {
  RunFingerprint run;
  run.add(1, {2});
  EXPECT_EQ(run.text(), "f37370f1a268896f");
}

}  // namespace
}  // namespace latchlab
