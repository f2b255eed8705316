// DecLock, broken on purpose: its own parts, and the CQL lock below it.

#include "tests/protocols/cql/return.h"
#include "tests/protocols/declock/visits.h"
#include "tests/protocols/planted.h"
#include "tests/protocols/sherman/chains.h"

namespace latchlab::declock_tests {
namespace {

using namespace testing;
using explore::Violation;

constexpr Bug kNoWrap{"declock_compares_without_wrap"};   // 60 is treated as later than 3
constexpr Bug kOnceMore{"declock_hands_over_once_more"};  // than local_bound says
// The next client of the node stays asleep.
constexpr Bug kForgetsLeader{"declock_forgets_who_leads_next"};
// A node that holds the lock in shared mode hands it to a writer, and the other way round.
constexpr Bug kAnyMode{"common_hands_over_in_any_mode"};
// A node answers a reset although one of its clients holds the lock.
constexpr Bug kAnswersEarly{"cql_answers_while_holding"};
// A node that has to wait for other nodes acquires the lock at once.
constexpr Bug kNoWait{"cql_never_waits"};

// Clients of a node keep handing over a lock whose server has failed, and all other nodes wait for
// them.
constexpr Bug kPassesOn{"declock_hands_over_what_is_gone"};
// Locks of a restarted server are used although other nodes still hold earlier ones.
constexpr Bug kSkipsMeeting{"cql_skips_meeting"};

RunSetup crowded(ParamValues params = {}, std::uint32_t shared = 50) {
  RunSetup setup;
  setup.protocol = "declock";
  setup.shared_percent = shared;
  setup.operations = 5;
  setup.max_steps = 5'000;
  setup.params = std::move(params);
  return setup;
}

TEST(declock_planted, times_compared_without_wrap) {
  expect_caught(kNoWrap, 1,
                [](std::uint64_t) { return next_after_a_wrap() != LocalQueues::Left::must_free; });
}

TEST(declock_planted, a_chain_with_one_handover_too_many) {
  const ParamValues bound = {
      {"transfer", text("local_bound")}, {"local_bound", number(3)}, {"version_bits", number(16)}};
  expect_caught(kOnceMore, 20, [&](std::uint64_t seed) {
    return sherman_tests::watch(sherman_tests::neighbours("declock", 2, 5, bound), seed).longest >
           2;
  });
}

TEST(declock_planted, a_local_waiter_that_is_not_told_to_lead) {
  expect_blocks(kForgetsLeader, 20, crowded());
  explore::Campaign campaign = searched("declock", {"X", "X"});
  campaign.base.sets = {"transfer=local_bound", "local_bound=1"};
  campaign.placement = explore::Placement::together;
  expect_found(kForgetsLeader, Violation::deadlock, 1'000, campaign);
}

TEST(declock_planted, a_lock_handed_over_in_a_mode_that_the_node_does_not_hold) {
  expect_breaks_exclusion(kAnyMode, 60, crowded({{"transfer", text("local_prefer")}}));
}

TEST(declock_planted, a_reset_answered_while_a_client_of_the_node_holds_the_lock) {
  const ParamValues few = {
      {"version_bits", number(1)}, {"capacity", number(2)}, {"overflow", text("version")}};
  RunSetup setup = crowded(few);
  setup.client_nodes = 3;
  setup.max_steps = 20'000;
  expect_breaks_exclusion(kAnswersEarly, 400, setup);
}

TEST(declock_planted, a_node_that_acquires_without_waiting) {
  expect_breaks_exclusion(kNoWait, 40, crowded());
}

TEST(declock_planted, a_node_that_acquires_without_waiting_on_hardware) {
  expect_breaks_exclusion_on_hardware(kNoWait, crowded({{"version_bits", number(16)}}));
}

TEST(declock_planted, a_lock_handed_over_after_its_server_has_failed) {
  expect_caught(kPassesOn, 1,
                [](std::uint64_t) { return next_when_outlived() != LocalQueues::Left::must_free; });
}

#if LATCHLAB_WITH_SIMGRID
// Without the bug: failing_server_test.cc.
TEST(declock_planted, a_node_that_uses_a_restarted_server_without_meeting_other_nodes) {
  const Active active(kSkipsMeeting);
  EXPECT_GT(cql_tests::after_return({.protocol = "declock"}).safety.violations, 0U);
}
#endif

}  // namespace
}  // namespace latchlab::declock_tests
