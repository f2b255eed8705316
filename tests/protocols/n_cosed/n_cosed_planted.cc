// The N-CoSED lock, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

using explore::Violation;

// A writer does not wait for the Releases of the readers before it.
constexpr Bug kNoRelease{"n_cosed_waits_for_no_release"};
// A release frees the word although it counts readers.
constexpr Bug kForgetsReaders{"n_cosed_forgets_its_readers"};
// The home counts readers as gone twice while its reset of the word is under way.
constexpr Bug kCountsTwice{"n_cosed_counts_during_a_reset"};
// A release whose CAS finds another tail ends without a handover.
constexpr Bug kForgetsSuccessor{"n_cosed_does_not_wait_for_its_successor"};

RunSetup n_cosed_crowd() {
  RunSetup setup;
  setup.protocol = "n_cosed";
  setup.shared_percent = 50;
  return setup;
}

TEST(n_cosed_planted, a_writer_that_does_not_wait_for_releases) {
  expect_breaks_exclusion(kNoRelease, 40, n_cosed_crowd());
}

TEST(n_cosed_planted, a_release_that_forgets_its_readers) {
  expect_breaks_exclusion(kForgetsReaders, 40, n_cosed_crowd());
}

TEST(n_cosed_planted, a_release_that_does_not_wait_for_its_successor) {
  expect_blocks(kForgetsSuccessor, 20, n_cosed_crowd());
}

TEST(n_cosed_planted, a_writer_that_does_not_wait_for_releases_on_hardware) {
  expect_breaks_exclusion_on_hardware(kNoRelease, n_cosed_crowd());
}

TEST(n_cosed_planted, a_search_finds_a_writer_that_does_not_wait_for_releases) {
  expect_found(kNoRelease, Violation::mutual_exclusion, 5'000,
               searched("n_cosed", {"X", "S", "X"}));
}

TEST(n_cosed_planted, a_search_finds_a_release_that_forgets_its_readers) {
  expect_found(kForgetsReaders, Violation::mutual_exclusion, 5'000,
               searched("n_cosed", {"X", "S", "X"}));
}

// A call falls between the reset's effect and its completion.
TEST(n_cosed_planted, a_search_finds_a_home_node_that_counts_during_a_reset) {
  expect_found(kCountsTwice, Violation::mutual_exclusion, 50'000,
               searched("n_cosed", {"S", "S", "X"}));
}

TEST(n_cosed_planted, a_search_finds_a_release_that_does_not_wait_for_its_successor) {
  expect_found(kForgetsSuccessor, Violation::deadlock, 1'000, searched("n_cosed", {"X", "X"}));
}

}  // namespace
}  // namespace latchlab::testing
