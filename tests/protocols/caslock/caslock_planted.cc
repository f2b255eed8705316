// Planted bugs of the state machine that caslock and retry_on_fail share, shown in caslock.

#include "tests/protocols/caslock/broken.h"

namespace latchlab::testing {
namespace {

constexpr Bug kWipesCounts{"caslock_release_wipes_counts"};  // of readers that wait

TEST(caslock_planted, a_reader_that_gives_up_and_stays_counted) {
  RunSetup setup = readers_and_writers_of("caslock");
  setup.impatient = true;
  expect_caught(kStaysCounted, 20, [&](auto seed) { return run(setup, seed).entry != "free"; });
}

TEST(caslock_planted, a_timed_search_finds_a_reader_that_stays_counted) {
  explore::Campaign campaign = searched("caslock", {"X", "S"});
  campaign.base.time = {{microseconds(1)}, {}, microseconds(20), microseconds(5), milliseconds(10)};
  expect_found(kStaysCounted, explore::Violation::not_free, 1'000, campaign);
}

TEST(caslock_planted, a_release_that_wipes_counts) {
  expect_breaks_exclusion(kWipesCounts, 50, readers_and_writers_of("caslock"));
}

TEST(caslock_planted, a_search_finds_a_release_that_wipes_counts) {
  expect_found(kWipesCounts, explore::Violation::mutual_exclusion, 10'000,
               searched("caslock", {"XX", "SS"}));
}

LATCHLAB_TEST_WRITER_THAT_JOINS_READERS(caslock)

}  // namespace
}  // namespace latchlab::testing
