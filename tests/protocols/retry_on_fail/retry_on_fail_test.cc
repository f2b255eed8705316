// retry_on_fail: tries that leave nothing behind, what they cost, and the timeout of DSLR.

#include <utility>

#include "tests/protocols/deadlines.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

RunSetup mixed(ParamValues params = {}, std::uint32_t shared_percent = 50) {
  RunSetup setup;
  setup.protocol = "retry_on_fail";
  setup.client_nodes = 5;
  setup.clients_per_node = 1;
  setup.shared_percent = shared_percent;
  setup.params = std::move(params);
  return setup;
}

ParamValues timeout(std::int64_t tries, ParamValues others = {}) {
  others.emplace_back("timeout_tries", number(tries));
  return others;
}

TEST(retry_on_fail, excludes_by_mode_and_all_clients_finish) {
  expect_sound(mixed(), 500);
}

TEST(retry_on_fail, is_sound_with_every_release) {
  LATCHLAB_NEEDS_EXPLORER("readers that retry may delay the release for ever");
  for (const char* release : {"exact", "tracking"})
    expect_sound(mixed({{"writer_release", text(release)}}), 200);
}

TEST(retry_on_fail, is_sound_with_readers_that_stay_counted) {
  for (const char* release : {"tracking", "subtract"})
    expect_sound(mixed({{"writer_release", text(release)}, {"reader_conflict", text("stay")}}),
                 200);
}

TEST(retry_on_fail, is_sound_with_random_pauses) {
  expect_sound(mixed({{"backoff", text("random")}}), 100);
}

TEST(retry_on_fail, admits_readers_together) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  const auto all_inside = [](const Outcome& o) { return o.most_inside >= 4; };
  EXPECT_GT(first_seed(mixed({}, 100), 100, all_inside), 0U);
}

// ---- verbs ----

TEST(retry_on_fail, takes_two_atomics_for_a_free_pair_in_either_mode) {
  for (const char* release : {"exact", "tracking", "subtract"}) {
    for (const std::uint32_t shared : {0, 100}) {
      RunSetup setup = mixed({{"writer_release", text(release)}}, shared);
      setup.client_nodes = 1;
      const Outcome outcome = run(setup, 1);
      EXPECT_EQ(outcome.end, RunEnd::finished);
      EXPECT_EQ(outcome.tally.atomics(), 2 * outcome.acquired) << release;
      EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired) << release;
      EXPECT_EQ(outcome.entry, "free");
    }
  }
}

// The holder never releases.
Meeting held(LockMode holder, LockMode other) {
  Meeting meeting;
  meeting.holder = holder;
  meeting.other = other;
  meeting.leaves = false;
  return meeting;
}

TEST(retry_on_fail, takes_two_atomics_for_each_failed_try_of_a_reader) {
  Meeting meeting = held(LockMode::exclusive, LockMode::shared);
  meet("retry_on_fail", timeout(3), 1, meeting);
  EXPECT_FALSE(meeting.entered);
  EXPECT_EQ(meeting.reason, AbortReason::too_many);
  EXPECT_EQ(meeting.verbs.of(VerbKind::faa), 6U);
  EXPECT_EQ(meeting.verbs.one_sided(), 6U);
  EXPECT_EQ(meeting.entry, "held by client 0, 0 readers counted");
}

TEST(retry_on_fail, takes_one_read_for_each_failed_poll_of_a_reader_that_stays_counted) {
  Meeting meeting = held(LockMode::exclusive, LockMode::shared);
  const ParamValues staying = {{"reader_conflict", text("stay")},
                               {"writer_release", text("tracking")}};
  meet("retry_on_fail", timeout(3, staying), 1, meeting);
  EXPECT_EQ(meeting.reason, AbortReason::too_many);
  EXPECT_EQ(meeting.verbs.of(VerbKind::faa), 2U);
  EXPECT_EQ(meeting.verbs.reads(), 2U);
  EXPECT_EQ(meeting.entry, "held by client 0, 0 readers counted");
}

// The code's rule poll: the reader undoes its count, READs repeatedly until the writer has
// released, and then starts again.
TEST(retry_on_fail, polls_without_a_count_until_the_writer_has_released) {
  LATCHLAB_NEEDS_EXPLORER("where the holder leaves after a millisecond");
  Meeting meeting;
  meeting.holder = LockMode::exclusive;
  meeting.other = LockMode::shared;
  std::uint64_t waited = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Meeting one = meeting;
    meet("retry_on_fail",
         {{"reader_conflict", text("first_looks")}, {"writer_release", text("exact")}}, seed, one);
    EXPECT_TRUE(one.entered) << "seed " << seed;
    EXPECT_EQ(one.entry, "free");
    if (one.verbs.of(VerbKind::faa) == 1) continue;  // the holder had released
    EXPECT_EQ(one.verbs.of(VerbKind::faa), 3U) << "seed " << seed;
    EXPECT_GE(one.verbs.reads(), 1U) << "seed " << seed;
    ++waited;
  }
  EXPECT_GT(waited, 0U);
}

// An earlier version of that rule: the count stays, so that a writer whose release expects no
// counts has to wait for the reader's timeout.
TEST(retry_on_fail, polls_with_its_count_in_the_word) {
  Meeting meeting = held(LockMode::exclusive, LockMode::shared);
  meet("retry_on_fail",
       timeout(3, {{"reader_conflict", text("first_stays")}, {"writer_release", text("exact")}}), 1,
       meeting);
  EXPECT_EQ(meeting.reason, AbortReason::too_many);
  EXPECT_EQ(meeting.verbs.of(VerbKind::faa), 2U);
  EXPECT_EQ(meeting.verbs.reads(), 2U);
  EXPECT_EQ(meeting.entry, "held by client 0, 0 readers counted");
}

TEST(retry_on_fail, is_sound_with_both_versions_of_rule_poll) {
  for (const char* profile : {"dslr_code_poll", "dslr_code_poll_counted"}) {
    RunSetup setup = mixed();
    setup.profile = profile;
    expect_sound(setup, 200);
  }
}

// A reader that finds another reader's count beside the writer withdraws, with either version.
TEST(retry_on_fail, lets_only_one_reader_poll) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  for (const char* conflict : {"first_looks", "first_stays"}) {
    RunSetup setup = mixed({{"reader_conflict", text(conflict)}});
    const bool looks = std::string(conflict) == "first_looks";
    expect_reached(setup, {looks ? "a reader that is not counted waits for the writer"
                                 : "a reader stays and waits for the writer",
                           "a reader withdraws its count", "a reader enters after retries"});
  }
}

TEST(retry_on_fail, refuses_counts_and_a_release_that_wait_for_each_other) {
  const ProtocolInfo& info = find_protocol("retry_on_fail")->info;
  ParamSet params = info.resolve("sigmod18");
  EXPECT_EQ(info.contradiction(params), "");
  for (const char* conflict : {"stay", "first_stays"}) {
    params.set("reader_conflict", std::string(conflict));
    EXPECT_NE(info.contradiction(params), "") << conflict;
    params.set("timeout_tries", std::int64_t{10});
    EXPECT_EQ(info.contradiction(params), "") << conflict;
    params.set("timeout_tries", std::int64_t{0});
  }
  params.set("reader_conflict", std::string("first_looks"));
  EXPECT_EQ(info.contradiction(params), "");
}

TEST(retry_on_fail, takes_one_cas_for_each_failed_try_of_a_writer) {
  for (const LockMode holder : {LockMode::exclusive, LockMode::shared}) {
    Meeting meeting = held(holder, LockMode::exclusive);
    meet("retry_on_fail", timeout(3), 1, meeting);
    EXPECT_EQ(meeting.reason, AbortReason::too_many);
    EXPECT_EQ(meeting.verbs.of(VerbKind::cas), 3U);
    EXPECT_EQ(meeting.verbs.one_sided(), 3U);
  }
}

// ---- the timeout, and deadlines ----

TEST(retry_on_fail, ends_acquisitions_that_the_caller_retries) {
  for (const std::int64_t tries : {1, 3}) {
    std::uint64_t ended = 0;
    for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
      const Outcome outcome = run(mixed(timeout(tries)), seed);
      ended += outcome.aborted;
      ASSERT_TRUE(outcome.safe()) << "seed " << seed;
      ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
      ASSERT_EQ(outcome.acquired, 15U);
      ASSERT_EQ(outcome.entry, "free");
    }
    if (!on_hardware()) {
      EXPECT_GT(ended, 0U);
    }
  }
}

TEST(retry_on_fail, leaves_nothing_behind_at_a_deadline) {
  const ParamValues staying = {{"reader_conflict", text("stay")}};
  for (const LockMode other : {LockMode::exclusive, LockMode::shared}) {
    for (const ParamValues& values :
         {ParamValues{}, timeout(1000), staying, timeout(1000, staying)}) {
      Meeting meeting = held(LockMode::exclusive, other);
      meeting.patience = Duration{};
      meet("retry_on_fail", values, 1, meeting);
      EXPECT_FALSE(meeting.entered);
      EXPECT_EQ(meeting.reason, AbortReason::deadline);
      EXPECT_EQ(meeting.entry, "held by client 0, 0 readers counted");
    }
  }
}

TEST(retry_on_fail, is_usable_after_deadlines_under_contention) {
  expect_usable_after_deadlines(mixed(), 200);
}

// ---- contradictory parameters ----

TEST(retry_on_fail, refuses_readers_that_stay_counted_with_a_release_that_waits_for_them) {
  const ProtocolInfo& info = find_protocol("retry_on_fail")->info;
  ParamSet params = info.resolve("sigmod18");
  EXPECT_EQ(info.contradiction(params), "");
  params.set("reader_conflict", text("stay"));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("writer_release is exact"));
  params.set("writer_release", text("tracking"));
  EXPECT_EQ(info.contradiction(params), "");
  params.set("backoff_first", seconds(1));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("raise backoff_bound"));
}

// ---- what every lock is tested for ----

TEST(retry_on_fail, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead("retry_on_fail");
}

TEST(retry_on_fail, takes_ordinary_paths_under_contention) {
  expect_paths(
      crowd("retry_on_fail"),
      {"a reader enters after retries", "a reader enters at once", "a reader leaves",
       "a reader withdraws its count", "a writer enters after retries", "a writer enters at once",
       "a writer finds a writer", "a writer finds readers", "a writer leaves by FAA",
       "retries follow at once"},
      {"a client gives up at its deadline", "a client has used up its tries",
       "a reader stays and waits for the writer", "a reader that waits takes its count back",
       "a writer leaves by CAS", "a writer that leaves follows the count of readers",
       "a writer that leaves waits for readers to withdraw", "retries follow with a pause",
       "the server fails an acquire", "the writer leaves before a reader that waits"});
}

TEST(retry_on_fail, takes_the_paths_of_its_switches_under_contention) {
  RunSetup setup = crowd("retry_on_fail");
  setup.params = {{"writer_release", text("exact")}};
  expect_reached(setup,
                 {"a writer leaves by CAS", "a writer that leaves waits for readers to withdraw"});
  setup.params = timeout(2, {{"writer_release", text("tracking")}, {"backoff", text("random")}});
  expect_reached(setup, {"a client has used up its tries",
                         "a writer that leaves follows the count of readers"});
}

#if LATCHLAB_WITH_SIMGRID
// How long an acquisition takes that ends with its first failed try.
Duration one_try(Duration patience) {
  Meeting meeting = held(LockMode::exclusive, LockMode::exclusive);
  meeting.patience = patience;
  const ParamValues pauses = {{"backoff_first", milliseconds(5)}, {"backoff_bound", seconds(1)}};
  meet("retry_on_fail", timeout(1, pauses), 1, meeting, plain_simulation);
  EXPECT_EQ(meeting.reason, AbortReason::too_many);
  return meeting.took;
}
TEST(timed, retry_on_fail_sleeps_before_it_ends_an_acquisition) {
  const Duration took = one_try(kForever);
  EXPECT_GT(took, microseconds(100));
  EXPECT_LT(took, milliseconds(6));
}
TEST(timed, retry_on_fail_does_not_sleep_beyond_the_deadline) {
  EXPECT_EQ(one_try(microseconds(50)), microseconds(50));
}
#endif

TEST(retry_on_fail, tries_ten_times_as_in_a_script_of_its_authors) {
  const ProtocolInfo& info = find_protocol("retry_on_fail")->info;
  for (const char* profile : {"dslr_paper", "dslr_code"})
    EXPECT_EQ(info.resolve(profile).values().at("timeout_tries"), number(10)) << profile;
}

}  // namespace
}  // namespace latchlab::testing
