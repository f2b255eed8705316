// sherman_nh, broken on purpose: with queues by the bugs of the state machine that it shares with
// sherman (../sherman/sherman_planted.cc), and without queues by its own bug.

#include "tests/protocols/planted.h"
#include "tests/protocols/sherman/chains.h"

namespace latchlab::sherman_nh_tests {
namespace {

using explore::Violation;
using sherman_tests::neighbours;
using testing::Bug;
using testing::RunSetup;

constexpr Bug kForgetsLeader{"sherman_forgets_who_leads_next"};
constexpr Bug kNoGlobalLock{"sherman_leads_without_the_lock"};
constexpr Bug kLooksOnly{"sherman_takes_a_lock_that_is_taken"};  // the first CAS may fail
constexpr Bug kNeverFrees{"sherman_never_frees"};

RunSetup broken(bool queue) {
  RunSetup setup = neighbours("sherman_nh", 2, 2, {{"local_queue", queue}});
  setup.max_steps = 5'000;
  return setup;
}

TEST(sherman_nh_planted, a_client_that_takes_a_lock_that_is_held) {
  testing::expect_breaks_exclusion(kLooksOnly, 20, broken(false));
}

TEST(sherman_nh_planted, a_search_finds_a_client_that_takes_a_lock_that_is_held) {
  testing::expect_found(kLooksOnly, Violation::mutual_exclusion, 500,
                        testing::searched("sherman_nh", {"X", "X"}));
}

TEST(sherman_nh_planted, a_client_that_takes_a_lock_that_is_held_on_hardware) {
  testing::expect_breaks_exclusion_on_hardware(kLooksOnly, broken(false));
}

TEST(sherman_nh_planted, a_lock_that_is_never_freed) {
  testing::expect_blocks(kNeverFrees, 20, broken(false));
  testing::expect_found(kNeverFrees, Violation::not_free, 500,
                        testing::searched("sherman_nh", {"X"}));
}

TEST(sherman_nh_planted, a_local_waiter_that_is_not_told_to_lead) {
  testing::expect_blocks(kForgetsLeader, 20, broken(true));
}

TEST(sherman_nh_planted, a_leader_that_enters_without_the_lock) {
  testing::expect_breaks_exclusion(kNoGlobalLock, 20, broken(true));
}

}  // namespace
}  // namespace latchlab::sherman_nh_tests
