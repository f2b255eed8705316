// The machine of caslock and retry_on_fail, broken on purpose, as caslock.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kStaysCounted{"caslock_gives_up_and_stays_counted"};  // a reader, at its deadline
constexpr Bug kWipesCounts{"caslock_release_wipes_counts"};         // of readers that wait
constexpr Bug kJoinsReaders{"caslock_writer_joins_readers"};        // that are inside

RunSetup mixed() {
  RunSetup setup;
  setup.protocol = "caslock";
  setup.shared_percent = 50;
  setup.max_steps = 5'000;
  return setup;
}

TEST(caslock_planted, a_reader_that_gives_up_and_stays_counted) {
  RunSetup setup = mixed();
  setup.impatient = true;
  expect_caught(kStaysCounted, 20, [&](auto seed) { return run(setup, seed).entry != "free"; });
}

TEST(caslock_planted, a_search_in_time_finds_a_reader_that_stays_counted) {
  explore::Campaign campaign = searched("caslock", {"X", "S"});
  campaign.base.time = {{microseconds(1)}, {}, microseconds(20), microseconds(5), milliseconds(10)};
  expect_found(kStaysCounted, explore::Wrong::not_free, 1'000, campaign);
}

TEST(caslock_planted, a_release_that_wipes_counts) {
  expect_breaks_exclusion(kWipesCounts, 50, mixed());
}

TEST(caslock_planted, a_search_finds_a_release_that_wipes_counts) {
  expect_found(kWipesCounts, explore::Wrong::mutual_exclusion, 10'000,
               searched("caslock", {"XX", "SS"}));
}

TEST(caslock_planted, a_writer_that_joins_readers) {
  expect_breaks_exclusion(kJoinsReaders, 20, mixed());
}

TEST(caslock_planted, a_writer_that_joins_readers_on_hardware) {
  expect_breaks_exclusion_on_hardware(kJoinsReaders, mixed());
}

TEST(caslock_planted, a_search_finds_a_writer_that_joins_readers) {
  expect_found(kJoinsReaders, explore::Wrong::mutual_exclusion, 500,
               searched("caslock", {"X", "S"}));
}

}  // namespace
}  // namespace latchlab::testing
