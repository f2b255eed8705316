// How many verbs of which kind an ALock takes: none on the lock's own node, and elsewhere those
// that the paper and the artifact state.

#include "tests/protocols/alock/cohorts.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using alock_tests::cohorts;
using ::testing::UnorderedElementsAre;

RunSetup alone(const char* profile) {
  RunSetup setup;
  setup.protocol = "alock";
  setup.profile = profile;
  setup.client_nodes = setup.clients_per_node = 1;
  setup.operations = 4;
  return setup;
}

TEST(alock, takes_three_verbs_to_acquire_a_free_lock_and_one_to_release_it) {
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

// The artifact's first guess of the victim is right once.
TEST(alock, takes_four_verbs_to_acquire_a_free_lock_as_in_the_artifact) {
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

// On the lock's own node the verbs go through loopback.
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

TEST(alock, reports_what_it_waits_for) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("alock");
  setup.params = {{"enqueue", text("exchange")}};
  EXPECT_THAT(phases_of(setup), UnorderedElementsAre("acquire IA", "acquire IA NP WP", "release IA",
                                                     "release IA NS"));
}

// There is one client in each cohort, so that no client queues.
TEST(alock, reports_that_a_leader_waits_for_the_other_cohort) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = cohorts(2, 1);
  setup.params = {{"enqueue", text("exchange")}};
  for (const std::uint32_t leader : {0, 1})
    EXPECT_THAT(phases_of(setup, leader),
                UnorderedElementsAre("acquire IA", "acquire IA WW", "release IA"));
  EXPECT_THAT(phases_of(cohorts(1, 1)), UnorderedElementsAre("acquire IA", "release IA"));
}

// Whether each acquisition of the remote leader reports a wait if and only if the leader read
// again.
class Looks final : public LoopObserver {
 public:
  void watch(const World& world) { verbs_ = &world.verbs(ClientId{1}); }
  void acquire_begins(ClientId client, const Want&) override {
    if (client.value == 0) return;
    verbs_->measure_phases(&marks_);
    static_cast<void>(marks_.taken());
    before_ = verbs_->tally().reads();
  }
  void acquired(ClientId client, const Grant&) override {
    if (client.value == 0) return;
    verbs_->measure_phases(nullptr);
    const bool again = verbs_->tally().reads() - before_ > 1;
    const bool marked = marks_.taken().find("WW") != std::string::npos;
    if (again != marked) ++wrong;
    if (again) ++waited;
  }
  std::uint64_t wrong = 0, waited = 0;

 private:
  Verbs* verbs_ = nullptr;
  Marks marks_;
  std::uint64_t before_ = 0;
};

TEST(alock, reports_a_remote_leader_s_wait_only_if_it_reads_again) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  for (const char* const victim : {"write", "batched", "cas_loop"}) {
    Looks looks;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      RunSetup setup = cohorts(2, 1);
      setup.params = {{"victim", text(victim)}};
      setup.also = &looks;
      CaseRun run(setup, seed);
      looks.watch(run.world());
      EXPECT_EQ(run.go().end, RunEnd::finished);
    }
    EXPECT_EQ(looks.wrong, 0U) << victim;
    EXPECT_GT(looks.waited, 0U) << victim;
  }
}

#if LATCHLAB_WITH_SIMGRID

// The holder keeps the lock for a millisecond and then hands it over, so that the next request is
// known by then. The first CAS guesses that the tail is empty. A waiting client spins locally, so
// that no client reads the word.
struct Behind {
  const char* name;
  ParamValues values;
  std::uint64_t cas, swaps;
};

class AlockBehind : public ::testing::TestWithParam<Behind> {};
INSTANTIATE_TEST_SUITE_P(timed, AlockBehind,
                         ::testing::Values(Behind{"cas_loop", {}, 2, 0},
                                           Behind{
                                               "exchange", {{"enqueue", text("exchange")}}, 0, 1},
                                           Behind{"one_cohort", {{"cohorts", text("one")}}, 2, 0}),
                         [](const auto& made) { return std::string(made.param.name); });

TEST_P(AlockBehind, queues_behind_another_request_with_one_write) {
  Meeting meeting;
  meet("alock", GetParam().values, 1, meeting, plain_simulation);
  EXPECT_TRUE(meeting.entered);
  EXPECT_EQ(meeting.verbs.of(VerbKind::cas), GetParam().cas);
  EXPECT_EQ(meeting.verbs.of(VerbKind::masked_cas), GetParam().swaps);
  EXPECT_EQ(meeting.verbs.writes(), 1U);
  EXPECT_EQ(meeting.verbs.one_sided(), GetParam().cas + GetParam().swaps + 1);
}

// One client of each cohort uses one lock. The remote one reads for as long as the local one holds
// it.
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
