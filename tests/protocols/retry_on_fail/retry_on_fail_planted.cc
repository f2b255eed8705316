// retry_on_fail, broken on purpose: the bugs of its state machine (core/protocols/caslock) that
// only it can have, or that show differently in it.

#include "tests/protocols/caslock/broken.h"

namespace latchlab::testing {
namespace {

constexpr Bug kDoesNotWithdraw{"caslock_retries_without_withdrawing"};  // a reader
constexpr Bug kSubtractsMore{"caslock_subtracts_a_count_as_well"};      // a writer that leaves

TEST(retry_on_fail_planted, a_reader_that_retries_without_withdrawing_blocks_the_writer) {
  expect_blocks(kDoesNotWithdraw, 20, readers_and_writers_of("retry_on_fail"));
}

TEST(retry_on_fail_planted, a_search_finds_a_reader_that_retries_without_withdrawing) {
  expect_found_beside_a_reader(kDoesNotWithdraw, explore::Violation::not_free, 5'000,
                               "retry_on_fail");
}

TEST(retry_on_fail_planted, a_search_finds_a_reader_out_of_tries_that_stays_counted) {
  expect_found_beside_a_reader(
      kStaysCounted, explore::Violation::not_free, 5'000, "retry_on_fail",
      {"reader_conflict=stay", "writer_release=tracking", "timeout_tries=2"});
}

TEST(retry_on_fail_planted, a_writer_that_subtracts_a_count_as_well_blocks_all_clients) {
  expect_blocks(kSubtractsMore, 20, readers_and_writers_of("retry_on_fail"));
}

TEST(retry_on_fail_planted, a_search_finds_a_writer_that_subtracts_a_count_as_well) {
  expect_found(kSubtractsMore, explore::Violation::not_free, 500, searched("retry_on_fail", {"X"}));
}

LATCHLAB_TEST_WRITER_THAT_JOINS_READERS(retry_on_fail)

}  // namespace
}  // namespace latchlab::testing
