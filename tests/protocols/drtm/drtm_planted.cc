// The drtm lock, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kIgnoresLeases{"drtm_writer_ignores_leases"};
constexpr Bug kReaderFrees{"drtm_reader_frees_the_word"};    // on which other readers hold a lease
constexpr Bug kNoMargin{"drtm_no_margin"};                   // clocks are assumed to be exact
constexpr Bug kFromTheAnswer{"drtm_lease_from_the_answer"};  // not from before the CAS
constexpr Bug kOutlivesLease{"drtm_grant_outlives_lease"};   // a reader never stops

RunSetup mixed_drtm() {
  RunSetup setup;
  setup.protocol = "drtm";
  setup.shared_percent = 50;
  return setup;
}

explore::Campaign drtm_campaign(std::vector<std::string> sets, std::vector<Duration> legs,
                                Duration hold) {
  explore::Campaign campaign = searched("drtm", {"X", "S"});
  campaign.base.sets = std::move(sets);
  campaign.base.time = {std::move(legs), {}, hold, {}, milliseconds(1)};
  return campaign;
}

TEST(drtm_planted, a_writer_that_ignores_leases) {
  expect_breaks_exclusion(kIgnoresLeases, 20, mixed_drtm());
}
TEST(drtm_planted, a_search_finds_a_writer_that_ignores_leases) {
  expect_found(kIgnoresLeases, explore::Violation::mutual_exclusion, 500, searched("drtm"));
}
TEST(drtm_planted, a_search_finds_a_reader_that_frees_the_word) {
  expect_found(kReaderFrees, explore::Violation::mutual_exclusion, 5'000,
               searched("drtm", {"S", "S", "X"}));
}
// The synchronised clock of the explorer is up to 100 ns off.
TEST(drtm_planted, a_timed_search_finds_a_lock_that_ignores_clock_error) {
  expect_found(kNoMargin, explore::Violation::mutual_exclusion, 2'000,
               drtm_campaign({"lease=600ns", "delta=150ns", "reserve=0ns"}, {nanoseconds(40)},
                             nanoseconds(600)));
}
// The reader's verbs are slow, the writer's fast.
TEST(drtm_planted, a_timed_search_finds_a_lease_that_counts_from_the_answer) {
  expect_found(kFromTheAnswer, explore::Violation::mutual_exclusion, 50'000,
               drtm_campaign({"lease=10us", "reserve=0ns"}, {microseconds(1), microseconds(4)},
                             microseconds(20)));
}
TEST(drtm_planted, a_timed_search_finds_a_reader_that_never_stops) {
  expect_found(kOutlivesLease, explore::Violation::mutual_exclusion, 5'000,
               drtm_campaign({"lease=10us", "reserve=0ns"}, {microseconds(1)}, microseconds(30)));
}

}  // namespace
}  // namespace latchlab::testing
