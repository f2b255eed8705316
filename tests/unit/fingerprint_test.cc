#include "core/base/fingerprint.h"

#include <gtest/gtest.h>

namespace latchlab {
namespace {

TEST(Fingerprint, is_written_as_sixteen_hexadecimal_digits) {
  EXPECT_EQ(Fingerprint().text(), "0000006c61746368");
}

// A change of this value makes all results that are stored differ from those of new runs.
TEST(Fingerprint, of_some_words_is_the_same_everywhere) {
  Fingerprint fingerprint;
  fingerprint.add(1);
  EXPECT_EQ(fingerprint.text(), "7d88e8ecde4a44e4");
  fingerprint.add(2);
  EXPECT_EQ(fingerprint.text(), "f37370f1a268896f");
}

TEST(Fingerprint, depends_on_the_order_of_words_and_not_on_how_they_are_added) {
  Fingerprint single, together, reversed;
  single.add(1);
  single.add(2);
  together.add({1, 2});
  reversed.add({2, 1});
  EXPECT_EQ(together.value(), single.value());
  EXPECT_NE(reversed.value(), single.value());
}

}  // namespace
}  // namespace latchlab
