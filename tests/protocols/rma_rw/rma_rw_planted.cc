// RMA-RW, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

using explore::Wrong;

constexpr Bug kNoSecondLook{"rma_rw_no_second_look"};  // enters as soon as it has set the mode
constexpr Bug kKeepsTheMode{"rma_rw_reset_keeps_the_mode"};
constexpr Bug kByWrite{"rma_rw_reset_by_write"};  // forgets readers that are about to back out
constexpr Bug kStaysCounted{"rma_rw_reader_stays_counted"};  // in the time of writers
constexpr Bug kWriteMode{"rma_rw_leaves_in_write_mode"};     // the last writer sets nothing back

RunSetup crowd_of_both() {
  RunSetup setup;
  setup.protocol = "rma_rw";
  setup.shared_percent = 50;
  setup.max_steps = 5'000;
  return setup;
}

TEST(rma_rw_planted, a_writer_that_does_not_look_again) {
  expect_breaks_exclusion(kNoSecondLook, 40, crowd_of_both());
}

TEST(rma_rw_planted, a_writer_that_does_not_look_again_on_hardware) {
  expect_breaks_exclusion_on_hardware(kNoSecondLook, crowd_of_both());
}

TEST(rma_rw_planted, a_search_finds_a_writer_that_does_not_look_again) {
  expect_found(kNoSecondLook, Wrong::mutual_exclusion, 500, searched("rma_rw", {"X", "S"}));
}

TEST(rma_rw_planted, a_reset_that_keeps_the_mode) {
  expect_blocks(kKeepsTheMode, 20, crowd_of_both());
  expect_found(kKeepsTheMode, Wrong::deadlock, 500, searched("rma_rw", {"X", "S"}));
}

TEST(rma_rw_planted, a_reset_that_forgets_readers_on_their_way_out) {
  expect_found(kByWrite, Wrong::deadlock, 10'000, searched("rma_rw", {"XX", "SS"}));
}

TEST(rma_rw_planted, a_reader_that_stays_counted_when_it_is_turned_away) {
  expect_blocks(kStaysCounted, 20, crowd_of_both());
  expect_found(kStaysCounted, Wrong::not_free, 500, searched("rma_rw", {"X", "S"}));
}

TEST(rma_rw_planted, a_last_writer_that_leaves_writers_mode_behind) {
  expect_blocks(kWriteMode, 20, crowd_of_both());
  expect_found(kWriteMode, Wrong::deadlock, 500, searched("rma_rw", {"X", "X"}));
}

}  // namespace
}  // namespace latchlab::testing
