// RMA-RW in the explorer.

#include "core/protocols/rma_rw/words.h"
#include "tests/modes.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/recvs.h"
#include "tests/protocols/rma_rw/scene.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using rma_rw_tests::Scene;
using ::testing::Contains;
using ::testing::Not;

// The small model's thresholds are two writers and two readers.
RunSetup rw(ParamValues sets = {}) {
  RunSetup setup;
  setup.protocol = "rma_rw";
  setup.params = std::move(sets);
  setup.shared_percent = 50;
  return setup;
}

TEST(rma_rw, excludes_by_mode_and_all_clients_finish) {
  expect_sound(rw({{"max_held", number(4)}}), 400);
  expect_sound(rw({{"writer_threshold", number(1)}, {"reader_threshold", number(1)}}), 200);
  expect_sound(rw({{"writer_threshold", number(16)}, {"reader_threshold", number(4000)}}), 200);
}

TEST(rma_rw, is_sound_by_words) {
  expect_sound(rw({{"notes", text("words")}}), 400);
}

TEST(rma_rw, is_sound_as_in_the_artifact) {
  RunSetup setup = rw();
  setup.profile = "artifact";
  expect_sound(setup, 200);
  setup.params = {{"writer_threshold", number(2)}, {"reader_threshold", number(30)}};
  setup.operations = 20;
  expect_sound(setup, 100);
}

TEST(rma_rw, admits_as_many_readers_at_once_as_its_threshold) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup setup = rw({{"reader_threshold", number(2)}});
  setup.shared_percent = 100;
  setup.clients_per_node = 3;
  EXPECT_EQ(most_inside(setup), 2U);
}

TEST(rma_rw, is_sound_with_delayed_messages) {
  RunSetup setup = rw({{"intra_node_delay", microseconds(1)}});
  setup.client_nodes = 1;
  setup.clients_per_node = 4;
  setup.shared_percent = 20;
  expect_sound(setup, 100);
  expect_reached(setup, {"a message within a node is delayed"});
}

// ---- deadlines ----

TEST(rma_rw, lets_readers_give_up_at_their_deadline_and_stays_usable) {
  std::uint64_t aborted = 0;
  for (const char* barrier : {"resettable", "at_most"}) {
    RunSetup setup = rw({{"reader_barrier", text(barrier)}});
    setup.impatient = true;
    for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
      const Outcome outcome = run(setup, seed);
      ASSERT_TRUE(outcome.safe()) << outcome.violation;
      ASSERT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
      ASSERT_TRUE(outcome.free) << outcome.entry;
      ASSERT_EQ(outcome.acquired + outcome.aborted, 12U);
      aborted += outcome.aborted;
    }
  }
  EXPECT_GT(aborted, 0U);
}

TEST(rma_rw, keeps_writers_beyond_their_deadline_and_reports_it) {
  const ProtocolEntry& entry = *find_protocol("rma_rw");
  EXPECT_FALSE(entry.make(entry.info.resolve("repaired"))->limits().abortable);
  RunSetup setup = rw();
  setup.impatient = true;
  setup.shared_percent = 0;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished);
    ASSERT_EQ(outcome.aborted, 0U);
  }
}

// ---- several locks at once ----

Task<void> both(Scene& scene, ClientId me, std::uint64_t* inside) {
  for (int i = 0; i < 3; ++i) {
    std::vector<Grant> grants;
    for (const std::uint32_t id : {0U, 1U}) {
      const Want want{scene.lock(id), kX, {}, GrantId{id}};
      const AcquireResult result = co_await scene.client(me).acquire(want, {});
      grants.push_back(std::get<Grant>(result));
      EXPECT_EQ(inside[id]++, 0U);
    }
    co_await scene.verbs(me.value).sleep(nanoseconds(5));
    for (const Grant& grant : grants) {
      --inside[grant.lock.id.value];
      co_await scene.client(me).release(grant);
    }
  }
}

TEST(rma_rw, keeps_locks_held_together_apart) {
  for (const char* notes : {"messages", "words"}) {
    for (std::uint64_t seed = 1; seed <= seeds(150); ++seed) {
      std::uint64_t inside[2] = {};
      const auto body = [&](Scene& scene, ClientId id) { return both(scene, id, inside); };
      Scene scene("repaired", {{"notes", text(notes)}, {"writer_threshold", number(2)}},
                  {body, body, body}, seed, 2);
      ASSERT_EQ(scene.run(), RunEnd::finished) << notes << ", seed " << seed;
      ASSERT_TRUE(scene.free()) << scene.entry();
    }
  }
}

Task<void> one_too_many(Scene& scene, ClientId me, AbortReason* why) {
  const Want first{scene.lock(0)};
  const AcquireResult held = co_await scene.client(me).acquire(first, {});
  const Want second{scene.lock(1), kX, {}, GrantId{1}};
  const AcquireResult refused = co_await scene.client(me).acquire(second, {});
  *why = std::get<Aborted>(refused).reason;
  const Grant grant = std::get<Grant>(held);
  co_await scene.client(me).release(grant);
  const AcquireResult again = co_await scene.client(me).acquire(second, {});
  const Grant next = std::get<Grant>(again);
  co_await scene.client(me).release(next);
}

TEST(rma_rw, refuses_a_lock_for_which_no_queue_node_is_left) {
  AbortReason why = AbortReason::deadline;
  Scene scene("hpdc16_flat", {{"max_held", number(1)}},
              {[&](Scene& here, ClientId id) { return one_too_many(here, id, &why); }}, 1, 2);
  EXPECT_EQ(scene.run(), RunEnd::finished);
  EXPECT_EQ(why, AbortReason::too_many);
}

// ---- what the thresholds do not bound ----

// One reader and two writers, with a turn for readers after each writer: how many writers acquire
// the lock once the reader has been turned away.
struct Race {
  bool in = false;
  std::uint64_t writers = 0;
};

Task<void> read_once(Scene& scene, ClientId me, Race* race) {
  const Want want{scene.lock(), kS};
  const AcquireResult result = co_await scene.client(me).acquire(want, {});
  race->in = true;
  const Grant grant = std::get<Grant>(result);
  co_await scene.client(me).release(grant);
}

Task<void> write_often(Scene& scene, ClientId me, Race* race) {
  for (int i = 0; i < 12; ++i) {
    const Want want{scene.lock()};
    const AcquireResult result = co_await scene.client(me).acquire(want, {});
    const bool turned_away = scene.verbs(2).tally().atomics() >= 2;
    if (turned_away && !race->in) ++race->writers;
    const Grant grant = std::get<Grant>(result);
    co_await scene.client(me).release(grant);
  }
}

TEST(rma_rw, lets_a_reader_miss_the_turns_that_writers_leave_to_readers) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  std::uint64_t most = 0;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    Race race;
    const auto writer = [&](Scene& scene, ClientId id) { return write_often(scene, id, &race); };
    const auto reader = [&](Scene& scene, ClientId id) { return read_once(scene, id, &race); };
    Scene scene("repaired", {{"writer_threshold", number(1)}}, {writer, writer, reader}, seed);
    ASSERT_EQ(scene.run(), RunEnd::finished);
    most = std::max(most, race.writers);
  }
  EXPECT_GE(most, 2U);
}

// ---- the counters ----

TEST(rma_rw, subtracts_what_it_read_and_keeps_later_increments) {
  using namespace rma_rw;
  const RemoteAddr at{NodeId{1}, 4096};
  const std::uint64_t seen = 7 | kWriteMode | 5 * kOneDeparture;
  const std::uint64_t later = seen + 2 + kOneDeparture;
  const Verb back = reset_verb(at, unpack_counters(seen));
  EXPECT_EQ(after_atomic(back, {later, 0}).lo, (7 - 5 + 2) | 1 * kOneDeparture);
  const Verb claim = claim_departures_verb(at);
  const Words claimed = after_atomic(claim, {4 | 3 * kOneDeparture, 0});
  EXPECT_EQ(claimed.lo, 4U);
  const Verb take = take_arrivals_verb(at, 3);
  EXPECT_EQ(after_atomic(take, {claimed.lo + kOneDeparture, 0}).lo, 1 | 1 * kOneDeparture);
}

TEST(rma_rw, decodes_tail_counters_and_mode) {
  const ProtocolEntry& entry = *find_protocol("rma_rw");
  const auto messages = entry.make(entry.info.resolve("repaired"));
  const std::vector<std::uint64_t> held = {EndpointAddr{NodeId{3}, 5}.packed(),
                                           3 | rma_rw::kWriteMode | 2 * rma_rw::kOneDeparture};
  EXPECT_EQ(messages->decode(held), "writers' mode ARRIVE=3 DEPART=2 tail=3:5");
  const std::vector<std::uint64_t> read = {0, 1};
  EXPECT_EQ(messages->decode(read), "readers' mode ARRIVE=1 DEPART=0 tail=none");
  const auto words = entry.make(entry.info.resolve("hpdc16_flat"));
  const std::vector<std::uint64_t> queued = {2ULL << 24 | 8, 0};
  EXPECT_EQ(words->decode(queued), "readers' mode ARRIVE=0 DEPART=0 tail=client 7 node 2");
}

// ---- what every lock is tested for ----

TEST(rma_rw, looks_free_after_all_clients_have_released) {
  expect_free_when_all_have_gone(crowd("rma_rw"));
  expect_free_when_all_have_gone(crowd("rma_rw", "artifact"));
  EXPECT_TRUE(is_free("rma_rw", {0, 7 | 7 * rma_rw::kOneDeparture}));
  EXPECT_FALSE(is_free("rma_rw", {0, 7 | 6 * rma_rw::kOneDeparture}));
  EXPECT_FALSE(is_free("rma_rw", {0, rma_rw::kWriteMode}));
}

TEST(rma_rw, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead("rma_rw");
}

TEST(rma_rw, takes_ordinary_paths_under_contention) {
  expect_paths(
      crowd("rma_rw"),
      {"a reader enters", "a reader finds writers' mode", "a reader finds the threshold reached",
       "a reader sets the counters back", "a reader leaves the turn to a writer",
       "no reader has departed", "the queue is empty", "a writer queues up behind another",
       "a writer is handed the lock", "a writer has to change the mode",
       "readers arrive before the mode changes", "enough writers were in a row",
       "a release hands over", "a release grants to readers", "a release knows no successor",
       "a release waits for a late successor", "a release leaves the queue empty"},
      {"a Successor cannot be delivered", "a turn cannot be delivered", "no queue node is left",
       "a reader gives up at its deadline", "the server fails the first writer"});
}

// Client i is alone on node 2 + i, so that the node in the tail tells which client came last.
TEST(fifo, rma_rw_serves_writers_in_order_of_arrival) {
  expect_order_of_arrival("rma_rw", [](const Words& entry, std::uint32_t count) {
    return count == 0 || EndpointAddr::unpack(entry.lo).node.value == count + 1;
  });
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, rma_rw_is_sound) {
  expect_sound_run(timed("rma_rw", "repaired"));
}
TEST(timed, rma_rw_is_sound_as_in_the_artifact) {
  expect_sound_run(timed("rma_rw", "artifact"));
}
TEST(timed, rma_rw_is_sound_by_words) {
  expect_sound_run(timed("rma_rw", "hpdc16_flat"));
}
#endif

TEST(rma_rw, reports_no_writers_mode_among_readers) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup readers = crowd("rma_rw");
  readers.shared_percent = 100;
  EXPECT_THAT(reached_by_crowd(readers), Not(Contains("a reader finds writers' mode")));
}

TEST(rma_rw, posts_two_recvs_for_each_lock) {
  expect_two_recvs_for_each_lock("rma_rw");
}

TEST(rma_rw, asks_clients_only_for_the_memory_of_queue_nodes) {
  const ProtocolEntry& entry = *find_protocol("rma_rw");
  ParamSet params = entry.info.resolve("repaired");
  params.set("max_held", number(3));
  EXPECT_EQ(entry.make(params)->layout({}).client_bytes, 0U);
  params.set("notes", text("words"));
  EXPECT_EQ(entry.make(params)->layout({}).client_bytes, 3 * 16U);
}

}  // namespace
}  // namespace latchlab::testing
