// How many verbs an ALock takes, and of which kind: none at home, and what the paper and the
// artifact say elsewhere.

#include "tests/protocols/alock/cohorts.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using alock_tests::cohorts;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

RunSetup alone(const char* profile) {
  RunSetup setup;
  setup.protocol = "alock";
  setup.profile = profile;
  setup.client_nodes = setup.clients_per_node = 1;
  setup.operations = 4;
  return setup;
}

TEST(alock, takes_three_verbs_for_a_free_lock_and_one_to_leave_it) {
  for (const char* const victim : {"write", "batched"}) {
    RunSetup setup = alone("paper");
    setup.params = {{"victim", text(victim)}};
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.acquired, 4U);
    EXPECT_EQ(outcome.tally.of(VerbKind::cas), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.writes(), outcome.acquired);
    EXPECT_EQ(outcome.tally.reads(), outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 4 * outcome.acquired);
    EXPECT_EQ(outcome.tally.sends + outcome.tally.calls, 0U);
  }
}

// Its first guess of the victim is right once.
TEST(alock, takes_four_verbs_for_a_free_lock_as_in_the_artifact) {
  const Outcome outcome = run(alone("artifact"), 1);
  EXPECT_EQ(outcome.tally.of(VerbKind::cas), 4 * outcome.acquired - 1);
  EXPECT_EQ(outcome.tally.reads(), outcome.acquired);
  EXPECT_EQ(outcome.tally.writes(), 0U);
}

TEST(alock, takes_one_atomic_to_join_where_the_tail_is_swapped_in_one_step) {
  RunSetup setup = alone("paper");
  setup.params = {{"enqueue", text("exchange")}};
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.tally.of(VerbKind::masked_cas), outcome.acquired);
  EXPECT_EQ(outcome.tally.of(VerbKind::cas), outcome.acquired);
}

TEST(alock, takes_no_verb_on_its_own_node) {
  for (const char* const profile : {"", "paper", "artifact", "tla"})
    for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
      const Outcome outcome = run(cohorts(1, 4, profile), seed);
      ASSERT_EQ(outcome.end, RunEnd::finished);
      ASSERT_EQ(outcome.tally.one_sided() + outcome.tally.sends + outcome.tally.calls, 0U);
    }
}

// Through loopback where the lock is at home.
TEST(alock, takes_two_verbs_for_a_free_pair_as_its_baseline_everywhere) {
  for (const bool colocated : {false, true}) {
    RunSetup setup = alone("rdma_mcs");
    setup.colocated = colocated;
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.acquired, 4U);
    EXPECT_EQ(outcome.tally.of(VerbKind::cas), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
  }
}

TEST(alock, marks_what_it_waits_for) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("alock");
  setup.params = {{"enqueue", text("exchange")}};
  EXPECT_THAT(phases_of(setup), UnorderedElementsAre("acquire IA", "acquire IA NP WP", "release IA",
                                                     "release IA NS"));
}

// In the explorer nobody can tell how often a remote leader looks.
TEST(alock, marks_that_a_local_leader_waits_for_the_other_cohort) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = cohorts(2, 1);
  setup.params = {{"enqueue", text("exchange")}};
  EXPECT_THAT(phases_of(setup), ::testing::IsSupersetOf({"acquire IA", "acquire IA WW"}));
  EXPECT_THAT(phases_of(cohorts(1, 1)), UnorderedElementsAre("acquire IA", "release IA"));
}

#if LATCHLAB_WITH_SIMGRID

// The holder stays for a millisecond, and then hands on: its request is known by then.
ActorTally verbs_behind_a_holder(const char* enqueue) {
  Meeting meeting;
  meet("alock", {{"enqueue", text(enqueue)}}, 1, meeting, plain_simulation);
  EXPECT_TRUE(meeting.entered);
  return meeting.verbs;
}

TEST(timed, alock_takes_two_cas_and_a_write_behind_another_request) {
  const ActorTally verbs = verbs_behind_a_holder("cas_loop");
  EXPECT_EQ(verbs.of(VerbKind::cas), 2U) << "the first one guesses that the tail is empty";
  EXPECT_EQ(verbs.writes(), 1U);
  EXPECT_EQ(verbs.reads(), 0U) << "it waits at home";
}
TEST(timed, alock_takes_a_swap_and_a_write_behind_another_request) {
  const ActorTally verbs = verbs_behind_a_holder("exchange");
  EXPECT_EQ(verbs.atomics(), 1U);
  EXPECT_EQ(verbs.writes(), 1U);
  EXPECT_EQ(verbs.reads(), 0U);
}

TEST(timed, alock_takes_two_cas_and_a_write_behind_another_request_as_its_baseline) {
  Meeting meeting;
  meet("alock", {{"cohorts", text("one")}}, 1, meeting, plain_simulation);
  EXPECT_TRUE(meeting.entered);
  EXPECT_EQ(meeting.verbs.of(VerbKind::cas), 2U);
  EXPECT_EQ(meeting.verbs.one_sided(), 3U);
}

// One client of each cohort on one lock: the remote one reads as long as the other one stays.
VerbTally verbs_of_a_remote_leader(Duration poll_pause) {
  RunSetup setup = cohorts(2, 1, "paper");
  setup.params = {{"poll_pause", poll_pause}};
  setup.operations = 20;
  setup.hold = microseconds(100);
  setup.make = plain_simulation;
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, 40U);
  return outcome.tally;
}

TEST(timed, alock_lets_a_remote_leader_read_without_a_pause) {
  EXPECT_GT(verbs_of_a_remote_leader({}).reads(), 500U);
}
TEST(timed, alock_lets_a_remote_leader_pause_between_reads) {
  const VerbTally tally = verbs_of_a_remote_leader(microseconds(50));
  EXPECT_GT(tally.reads(), 20U);
  EXPECT_LT(tally.reads(), 100U);
}
#endif

}  // namespace
}  // namespace latchlab::testing
