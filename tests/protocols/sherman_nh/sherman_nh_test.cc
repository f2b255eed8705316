// sherman_nh: the tests that it does not share with sherman (../sherman/sherman_test.cc).

#include "tests/protocols/marks.h"
#include "tests/protocols/served.h"
#include "tests/protocols/sherman/chains.h"
#include "tests/protocols/sherman/rounds.h"

namespace latchlab::sherman_nh_tests {
namespace {

using sherman_tests::neighbours;
using sherman_tests::watch;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Outcome;
using testing::RunSetup;
using testing::seeds;

RunSetup nh(std::uint32_t nodes, std::uint32_t clients, ParamValues params = {}) {
  return neighbours("sherman_nh", nodes, clients, std::move(params));
}
RunSetup queued(std::uint32_t nodes, std::uint32_t clients) {
  return nh(nodes, clients, {{"local_queue", true}});
}

TEST(sherman_nh, admits_one_client_at_a_time_and_all_clients_finish) {
  for (const auto& shape : {std::pair{2U, 2U}, std::pair{3U, 1U}, std::pair{1U, 5U}}) {
    testing::expect_sound(nh(shape.first, shape.second), 100);
    testing::expect_sound(queued(shape.first, shape.second), 100);
    testing::expect_sound(nh(shape.first, shape.second, {{"unlock_posted", true}}), 50);
    testing::expect_sound(nh(shape.first, shape.second, sherman_tests::packed()), 50);
  }
}

TEST(sherman_nh, keeps_several_locks_apart) {
  for (RunSetup setup : {nh(2, 3), queued(2, 3)}) {
    setup.locks = 3;
    testing::expect_sound(setup, 100);
  }
}

TEST(sherman_nh, holds_several_locks_at_once) {
  for (const bool posted : {false, true})
    for (const bool queue : {false, true})
      sherman_tests::expect_sound_with_several_held(
          nh(2, 3, {{"local_queue", queue}, {"unlock_posted", posted}}));
}

TEST(sherman_nh, looks_free_after_all_clients_have_released_and_not_before) {
  testing::expect_free_when_all_have_gone(nh(2, 3));
  testing::expect_free_when_all_have_gone(queued(2, 3));
}

TEST(sherman_nh, takes_an_atomic_and_a_write_for_a_free_pair) {
  for (const bool queue : {false, true}) {
    const Outcome outcome = testing::run(nh(1, 1, {{"local_queue", queue}}), 1);
    EXPECT_EQ(outcome.tally.atomics(), outcome.acquired);
    EXPECT_EQ(outcome.tally.writes(), outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
  }
}

TEST(sherman_nh, acquires_and_releases_the_global_lock_for_every_client) {
  for (const RunSetup& setup : {nh(2, 3), queued(2, 3)}) {
    for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
      const sherman_tests::Watched seen = watch(setup, seed);
      EXPECT_EQ(seen.handed, 0U) << "seed " << seed;
      EXPECT_EQ(seen.outcome.tally.writes(), seen.outcome.acquired) << "seed " << seed;
      EXPECT_GE(seen.outcome.tally.atomics(), seen.outcome.acquired) << "seed " << seed;
    }
  }
}

// With a queue, one client of a node tries at a time.
TEST(sherman_nh, has_no_failing_cas_if_clients_of_a_node_queue_locally) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    const Outcome outcome = testing::run(queued(1, 4), seed);
    EXPECT_EQ(outcome.tally.atomics(), outcome.acquired) << "seed " << seed;
  }
}

TEST(sherman_nh, keeps_nothing_on_nodes_without_the_queue) {
  const ProtocolEntry& entry = *find_protocol("sherman_nh");
  const auto plain = entry.make(entry.info.resolve("declock_artifact"));
  EXPECT_EQ(plain->layout({}).client_bytes, 0U);
  EXPECT_THAT(plain->needs(), ElementsAre(Capability::masked_atomics_8));
  EXPECT_EQ(plain->make_node({}), nullptr);
  const auto queue = entry.make(entry.info.resolve("no_handover"));
  EXPECT_EQ(queue->layout({}).client_bytes, 8U);
  EXPECT_NE(queue->make_node({}), nullptr);
}

TEST(sherman_nh, has_no_handover_path) {
  for (const char* label :
       {"sherman_nh: a neighbour hands the lock over", "sherman_nh: the lock stays at the node"})
    EXPECT_THAT(paths::all(label), IsEmpty());
}

TEST(sherman_nh, takes_ordinary_paths_under_contention) {
  testing::expect_paths(
      testing::crowd("sherman_nh"),
      {"the lock is free", "the lock is taken", "the lock is taken after retries"},
      {"the server fails an acquire", "the server fails a release",
       "a client waits for its neighbours"});
}

TEST(sherman_nh, takes_its_queue_s_paths_under_contention_with_queues) {
  RunSetup setup = testing::crowd("sherman_nh", "no_handover");
  setup.clients_per_node = 3;
  testing::expect_reached(setup, {"a client is the first of its node", "a client leads its node",
                                  "a client waits for its neighbours", "the next of the node leads",
                                  "no client of the node waits"});
}

TEST(sherman_nh, leaves_clients_that_want_a_crashed_holder_s_lock_waiting) {
  testing::expect_taken_by_the_dead("sherman_nh");
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, sherman_nh_with_queues_serves_a_node_first_come_first_served) {
  const sherman_tests::Rounds seen =
      sherman_tests::play("sherman_nh", {5, {{"local_queue", true}}, microseconds(5)});
  EXPECT_THAT(seen.order, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(seen.verbs.atomics(), 5U);
  EXPECT_EQ(seen.verbs.writes(), 5U);
}

TEST(timed, sherman_nh_reports_a_failed_server) {
  testing::expect_failure_of_the_server_told("sherman_nh");
}
#endif

}  // namespace
}  // namespace latchlab::sherman_nh_tests
