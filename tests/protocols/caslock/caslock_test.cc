// caslock in the explorer and the simulator: sharing, the verbs of each path, deadlines, the word.

#include "tests/protocols/deadlines.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/paces.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

RunSetup mixed(std::uint32_t shared_percent = 50) {
  RunSetup setup;
  setup.protocol = "caslock";
  setup.client_nodes = 5;
  setup.clients_per_node = 1;
  setup.shared_percent = shared_percent;
  return setup;
}

TEST(caslock, excludes_by_mode_and_all_clients_finish) {
  expect_sound(mixed(), 500);
}

TEST(caslock, is_safe_with_backoff) {
  RunSetup setup = mixed();
  setup.params = {{"backoff", text("truncated_exponential")}};
  expect_sound(setup, 100);
}

TEST(caslock, admits_readers_together) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  const auto all_inside = [](const Outcome& o) { return o.most_inside >= 4; };
  EXPECT_GT(first_seed(mixed(100), 100, all_inside), 0U);
}

// ---- verbs ----

TEST(caslock, takes_two_atomics_for_a_free_pair_in_either_mode) {
  for (const std::uint32_t shared : {0, 100}) {
    RunSetup setup = mixed(shared);
    setup.client_nodes = 1;
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.tally.of(shared ? VerbKind::faa : VerbKind::cas), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.sends + outcome.tally.calls, 0U);
    EXPECT_EQ(outcome.entry, "free");
  }
}

// One client of each mode, one operation each.
Outcome one_each(std::uint64_t seed) {
  RunSetup setup = mixed();
  setup.client_nodes = 2;
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count > 0) return false;
    const LockMode mode = client.value == 0 ? LockMode::exclusive : LockMode::shared;
    section.wants.resize(1);
    section.wants[0] = Want(world.lock(LockId{0}), mode);
    return true;
  };
  return run(setup, seed);
}

TEST(caslock, waiting_readers_read_and_cost_the_writer_one_more_cas) {
  LATCHLAB_NEEDS_EXPLORER("counts the verbs of chosen orders");
  bool any = false;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Outcome outcome = one_each(seed);
    ASSERT_EQ(outcome.tally.of(VerbKind::faa), 2U) << "arrives once, leaves once";
    if (outcome.tally.reads() == 0) continue;
    any = true;
    ASSERT_EQ(outcome.tally.reads(), 1U) << "the explorer issues the last one alone";
    ASSERT_EQ(outcome.tally.of(VerbKind::cas), 3U) << "one that takes, two that leave";
    ASSERT_EQ(outcome.tally.mismatched, 1U);
  }
  EXPECT_TRUE(any);
}

TEST(caslock, waiting_writers_retry_their_cas) {
  for (const LockMode holder : {LockMode::exclusive, LockMode::shared}) {
    bool waited = on_hardware();
    for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
      Meeting meeting;
      meeting.holder = holder;
      meet("caslock", {}, seed, meeting);
      ASSERT_TRUE(meeting.entered);
      ASSERT_EQ(meeting.verbs.of(VerbKind::cas), meeting.verbs.one_sided());
      ASSERT_EQ(meeting.entry, "free");
      waited |= meeting.verbs.one_sided() == 2;  // until it had the lock
    }
    EXPECT_TRUE(waited);
  }
}

// ---- deadlines ----

TEST(caslock, takes_a_reader_s_count_back_at_its_deadline) {
  Meeting meeting;
  meeting.other = LockMode::shared;
  meeting.patience = microseconds(100);
  meeting.leaves = false;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    meet("caslock", {}, seed, meeting);
    ASSERT_FALSE(meeting.entered);
    ASSERT_EQ(meeting.reason, AbortReason::deadline);
    ASSERT_EQ(meeting.verbs.of(VerbKind::faa), 2U);
    ASSERT_EQ(meeting.entry, "held by client 0, 0 readers counted");
  }
}

TEST(caslock, leaves_nothing_of_a_writer_behind_at_its_deadline) {
  Meeting meeting;
  meeting.patience = microseconds(100);
  meeting.leaves = false;
  for (const LockMode holder : {LockMode::exclusive, LockMode::shared}) {
    meeting.holder = holder;
    meet("caslock", {}, 1, meeting);
    EXPECT_FALSE(meeting.entered);
    EXPECT_EQ(meeting.reason, AbortReason::deadline);
    EXPECT_EQ(meeting.verbs.of(VerbKind::cas), meeting.verbs.one_sided());
    EXPECT_EQ(meeting.entry, holder == LockMode::shared ? "1 readers counted"
                                                        : "held by client 0, 0 readers counted");
  }
}

TEST(caslock, is_usable_after_deadlines_under_contention) {
  expect_usable_after_deadlines(mixed(), 200);
}

// ---- the word ----

TEST(caslock, decodes_the_holder_and_the_count_of_readers) {
  const ProtocolEntry& entry = *find_protocol("caslock");
  const auto protocol = entry.make(entry.info.resolve("declock_artifact"));
  const std::uint64_t held = (8ULL << 32) | 2;
  EXPECT_EQ(protocol->decode({&held, 1}), "held by client 7, 2 readers counted");
  const std::uint64_t read = 3;
  EXPECT_EQ(protocol->decode({&read, 1}), "3 readers counted");
}

TEST(caslock, serves_as_many_clients_as_its_count_can_hold) {
  const ProtocolEntry& entry = *find_protocol("caslock");
  EXPECT_EQ(entry.make(entry.small_params())->limits().max_clients, 0xffff'ffffU);
  ParamSet narrow = entry.small_params();
  narrow.set("count_bits", number(2));
  EXPECT_EQ(entry.make(narrow)->limits().max_clients, 3U);
}

// Four readers counted beside a writer carry into the writer's number, so that it does not
// recognise itself.
TEST(caslock, breaks_beyond_that_limit) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = mixed(80);
  setup.params = {{"count_bits", number(2)}};
  setup.max_steps = 5'000;
  const auto goes_wrong = [](const Outcome& o) { return o.end != RunEnd::finished || !o.safe(); };
  EXPECT_GT(first_seed(setup, 200, goes_wrong), 0U);
  setup.client_nodes = 3;
  EXPECT_EQ(first_seed(setup, 200, goes_wrong), 0U);
}

TEST(caslock, rejects_watermarks_the_wrong_way_round) {
  const ProtocolInfo& info = find_protocol("caslock")->info;
  ParamSet params = info.resolve("backoff");
  EXPECT_EQ(info.contradiction(params), "");
  params.set("low_watermark_percent", number(60));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("low_watermark_percent is 60"));
}

// ---- what every lock is tested for ----

TEST(caslock, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead("caslock");
  EXPECT_TRUE(is_free("caslock", {0}));
  EXPECT_FALSE(is_free("caslock", {1}));
  EXPECT_FALSE(is_free("caslock", {1ULL << 32}));
}

TEST(caslock, takes_ordinary_paths_under_contention) {
  expect_paths(crowd("caslock"),
               {"a reader enters at once", "a reader leaves",
                "a reader stays and waits for the writer", "a writer enters after retries",
                "a writer enters at once", "a writer finds a writer", "a writer finds readers",
                "a writer leaves by CAS", "a writer that leaves follows the count of readers",
                "retries follow at once", "the writer leaves before a reader that waits"},
               {"a client gives up at its deadline", "a reader that waits takes its count back",
                "retries follow with a pause", "the server fails a reader that gives up",
                "the server fails a release", "the server fails an acquire"});
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, caslock_is_sound) {
  expect_sound_run(timed("caslock", "declock_artifact"));
}
TEST(timed, caslock_is_sound_with_backoff) {
  expect_sound_run(timed("caslock", "backoff"));
}
// As in cas with the same backoff, writers pause before each CAS and readers before each READ.
TEST(timed, caslock_pauses_before_each_try_of_a_writer_with_backoff) {
  expect_pauses({"caslock", "backoff"}, LockMode::exclusive, microseconds(1'000), nanoseconds(1862),
                nanoseconds(2 * 1862));
}
TEST(timed, caslock_pauses_before_each_look_of_a_reader_with_backoff) {
  expect_pauses({"caslock", "backoff"}, LockMode::shared, microseconds(1'000), nanoseconds(1862),
                nanoseconds(2 * 1862));
}
TEST(timed, caslock_does_not_pause_without_backoff) {
  EXPECT_GT(tries_within({"caslock", "declock_artifact"}, LockMode::exclusive, microseconds(1'000)),
            300U);
}
#endif

TEST(caslock, reports_that_a_reader_waits_for_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  const std::set<std::string> seen = phases_of(crowd("caslock"));
  EXPECT_THAT(seen, Contains("acquire IA WW"));
  EXPECT_THAT(seen, Contains("acquire IA RT"));
  RunSetup writers = crowd("caslock");
  writers.shared_percent = 0;
  EXPECT_THAT(phases_of(writers), Not(Contains(HasSubstr("WW"))));
}

#if LATCHLAB_WITH_SIMGRID
// The writer tries at once and again at the deadline. The pause between them is longer than both
// tries.
TEST(timed, caslock_pauses_before_a_writer_s_second_try) {
  const Paced lock = {"caslock", "backoff", {{"backoff_initial", milliseconds(10)}}};
  EXPECT_EQ(tries_within(lock, LockMode::exclusive, microseconds(100)), 2U);
}
// The verbs are an FAA, one READ at the deadline, and the FAA that undoes the first one.
TEST(timed, caslock_pauses_before_a_reader_s_first_look) {
  const Paced lock = {"caslock", "backoff", {{"backoff_initial", milliseconds(10)}}};
  EXPECT_EQ(tries_within(lock, LockMode::shared, microseconds(100)), 3U);
}
#endif

}  // namespace
}  // namespace latchlab::testing
