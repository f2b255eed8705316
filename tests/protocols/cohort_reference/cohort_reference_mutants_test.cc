// What small faults in the cohort lock would change and no other test of it sees.

#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

// A word for its turn.
TEST(cohort_reference, asks_each_client_for_one_word) {
  const ProtocolEntry& entry = *find_protocol("cohort_reference");
  EXPECT_EQ(entry.make(entry.small_params())->layout({}).client_bytes, 8U);
}

TEST(cohort_reference, counts_the_queue_of_its_node_as_waiting_for_a_predecessor) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("cohort_reference");
  setup.client_nodes = setup.clients_per_node = 2;
  EXPECT_THAT(phases_of(setup),
              ElementsAre("acquire WP", "acquire WP IA", "release NS", "release NS IA"));
}

TEST(cohort_reference, gives_up_no_lead_while_it_may_hand_on) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup setup = crowd("cohort_reference");
  setup.clients_per_node = 3;
  setup.params = {{"max_passes", number(1'000)}};
  const Labels reached = reached_by_crowd(setup);
  EXPECT_THAT(reached, Not(Contains("a neighbour gives up its lead")));
  EXPECT_THAT(reached, Not(Contains("the node has had enough turns")));
}

#if LATCHLAB_WITH_SIMGRID
Task<void> take_rounds(World& world, ClientId me, int rounds) {
  Verbs& verbs = world.verbs(me);
  const Want want{world.lock(LockId{0})};
  for (int i = 0; i < rounds; ++i) {
    const AcquireResult result = co_await world.client(me).acquire(want, {});
    co_await verbs.sleep(microseconds(100));
    const Grant held = std::get<Grant>(result);
    co_await world.client(me).release(held);
    co_await verbs.sleep(Time{} + milliseconds(10) * (i + 1) - verbs.now());
  }
}

// All clients of the node ask at once, wait for each other, and go: how often is the lock taken,
// and how often given back?
ActorTally verbs_of_rounds(std::uint32_t clients, std::int64_t max_passes, int rounds) {
  const ProtocolEntry& entry = *find_protocol("cohort_reference");
  ParamSet params = entry.info.resolve("reference");
  params.set("max_passes", number(max_passes));
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.clients_per_node = clients;
  World world(*protocol, shape);
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  for (std::uint32_t i = 0; i < clients; ++i)
    backend->spawn(world.verbs(ClientId{i}), take_rounds(world, ClientId{i}, rounds), Time{});
  EXPECT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished);
  ActorTally sum;
  for (std::uint32_t i = 0; i < clients; ++i) sum += world.verbs(ClientId{i}).tally();
  return sum;
}

TEST(timed, cohort_reference_hands_on_max_passes_times_between_two_turns_of_the_node) {
  const ActorTally tally = verbs_of_rounds(8, 2, 1);  // 3, 3 and 2
  EXPECT_EQ(tally.writes(), 3U);
  EXPECT_EQ(tally.atomics(), 3U);
}

// The second round begins with an empty queue, and as many turns as the first.
TEST(timed, cohort_reference_counts_anew_when_the_lock_is_taken_anew) {
  const ActorTally tally = verbs_of_rounds(3, 2, 2);
  EXPECT_EQ(tally.writes(), 2U);
}

// The lock is held for 1 ms.
TEST(timed, cohort_reference_pauses_between_tries_of_a_leader) {
  Meeting meeting;
  meet("cohort_reference", {{"retry_pause", microseconds(100)}}, 1, meeting, plain_simulation);
  EXPECT_TRUE(meeting.entered);
  EXPECT_GE(meeting.verbs.atomics(), 8U);
  EXPECT_LE(meeting.verbs.atomics(), 12U);
}

TEST(timed, cohort_reference_tells_that_the_server_fails) {
  expect_failure_of_the_server_told("cohort_reference");
}
#endif

}  // namespace
}  // namespace latchlab::testing
