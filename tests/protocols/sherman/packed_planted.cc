// sherman's packed locks, broken on purpose: the effect of one lock on the other locks of its word.

#include "tests/protocols/planted.h"
#include "tests/protocols/sherman/chains.h"

namespace latchlab::sherman_tests {
namespace {

using explore::Violation;
using testing::Bug;

constexpr Bug kFreesAll{"sherman_frees_its_neighbours"};      // a WRITE of the word
constexpr Bug kShortWrite{"sherman_frees_by_a_short_write"};  // of the lock's 2 bytes
constexpr Bug kTakesOver{"sherman_takes_over_its_neighbours"};
constexpr Bug kComparesAll{"sherman_compares_its_neighbours"};
constexpr Bug kCarries{"sherman_carries_into_its_neighbours"};

RunSetup side_by_side() {
  RunSetup setup = neighbours("sherman", 3, 1, packed());
  setup.locks = 2;
  setup.max_steps = 5'000;
  return setup;
}
// Two clients, one per node, and two locks; each client begins with a lock of its own.
explore::Campaign two_in_a_word() {
  explore::Campaign campaign = testing::searched("sherman", {"XX", "XX"});
  campaign.base.sets = {"packed=true", "unlock_by=faa"};
  campaign.base.locks = 2;
  campaign.base.sorted = false;
  return campaign;
}

TEST(sherman_planted, a_packed_lock_whose_release_writes_the_word) {
  testing::expect_breaks_exclusion(kFreesAll, 50, side_by_side());
}
TEST(sherman_planted, a_search_finds_a_packed_lock_whose_release_writes_the_word) {
  testing::expect_found(kFreesAll, Violation::mutual_exclusion, 10'000, two_in_a_word());
}
TEST(sherman_planted, a_packed_lock_whose_release_writes_the_word_on_hardware) {
  testing::expect_breaks_exclusion_on_hardware(kFreesAll, side_by_side());
}

// The WRITE lands inside the CAS of another lock, which undoes it: no client acquires the lock any
// more.
TEST(sherman_planted, a_packed_lock_whose_release_is_a_short_write) {
  testing::expect_blocks(kShortWrite, 100, side_by_side());
  testing::expect_found(kShortWrite, Violation::deadlock, 10'000, two_in_a_word());
}

TEST(sherman_planted, a_packed_lock_whose_cas_writes_the_word) {
  testing::expect_breaks_exclusion(kTakesOver, 50, side_by_side());
}
TEST(sherman_planted, a_search_finds_a_packed_lock_whose_cas_writes_the_word) {
  testing::expect_found(kTakesOver, Violation::mutual_exclusion, 1'000, two_in_a_word());
}

// The CAS fails because of another lock in the word, and shows that the lock was free.
TEST(sherman_planted, a_packed_lock_whose_cas_compares_the_word) {
  testing::expect_breaks_exclusion(kComparesAll, 50, side_by_side());
  testing::expect_found(kComparesAll, Violation::mutual_exclusion, 1'000, two_in_a_word());
}

// No client acquires the next lock any more.
TEST(sherman_planted, a_packed_lock_whose_release_carries_into_the_next_lock) {
  testing::expect_blocks(kCarries, 20, side_by_side());
  testing::expect_found(kCarries, Violation::deadlock, 1'000, two_in_a_word());
}

}  // namespace
}  // namespace latchlab::sherman_tests
