// retry_on_fail, broken on purpose: the bugs of its machine that only it can have, or that show
// differently in it (core/protocols/caslock).

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kDoesNotWithdraw{"caslock_retries_without_withdrawing"};  // a reader
constexpr Bug kStaysCounted{"caslock_gives_up_and_stays_counted"};      // a reader out of tries
constexpr Bug kJoinsReaders{"caslock_writer_joins_readers"};

RunSetup mixed() {
  RunSetup setup;
  setup.protocol = "retry_on_fail";
  setup.shared_percent = 50;
  setup.max_steps = 5'000;
  return setup;
}

TEST(retry_on_fail_planted, a_reader_that_retries_without_withdrawing_blocks_the_writer) {
  expect_blocks(kDoesNotWithdraw, 20, mixed());
}

TEST(retry_on_fail_planted, a_search_finds_a_reader_that_retries_without_withdrawing) {
  expect_found(kDoesNotWithdraw, explore::Wrong::not_free, 5'000,
               searched("retry_on_fail", {"X", "S"}));
}

TEST(retry_on_fail_planted, a_search_finds_a_reader_out_of_tries_that_stays_counted) {
  explore::Campaign campaign = searched("retry_on_fail", {"X", "S"});
  campaign.base.sets = {"reader_conflict=stay", "writer_release=tracking", "timeout_tries=2"};
  expect_found(kStaysCounted, explore::Wrong::not_free, 5'000, campaign);
}

TEST(retry_on_fail_planted, a_writer_that_joins_readers) {
  expect_breaks_exclusion(kJoinsReaders, 20, mixed());
}

TEST(retry_on_fail_planted, a_writer_that_joins_readers_on_hardware) {
  expect_breaks_exclusion_on_hardware(kJoinsReaders, mixed());
}

TEST(retry_on_fail_planted, a_search_finds_a_writer_that_joins_readers) {
  expect_found(kJoinsReaders, explore::Wrong::mutual_exclusion, 500,
               searched("retry_on_fail", {"X", "S"}));
}

}  // namespace
}  // namespace latchlab::testing
