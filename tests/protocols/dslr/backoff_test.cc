// The random backoff of dslr grows with failures in a row on a lock (DSLR A.3).

#include "tests/protocols/dslr/backoffs.h"

namespace latchlab::dslr_tests {
namespace {

TEST(dslr_backoff, grows_with_failures_on_its_lock_and_not_with_those_on_another) {
  LATCHLAB_NEEDS_EXPLORER("where sleeps alone take time");
  Duration longest;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Backoffs seen = backoffs(seed);
    EXPECT_LE(seen.on_another, kFirstBackoff) << "seed " << seed;
    longest = std::max(longest, seen.after_failures);
  }
  EXPECT_GT(longest, kFirstBackoff * 100);
}

}  // namespace
}  // namespace latchlab::dslr_tests
