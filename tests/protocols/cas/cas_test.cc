// The cas lock in the explorer, and its parameters.

#include "core/protocols/common/backoff.h"
#include "tests/protocols/deadlines.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/paces.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunSetup cas() {
  RunSetup setup;
  setup.protocol = "cas";
  return setup;
}

TEST(cas, admits_one_client_at_a_time_and_all_clients_finish) {
  expect_sound(cas(), 200);
}

TEST(cas, is_safe_with_masked_cas_and_release_by_write) {
  RunSetup setup = cas();
  setup.params = {{"masked", true}, {"release", text("write")}};
  expect_sound(setup, 200);
}

TEST(cas, is_safe_with_backoff) {
  RunSetup setup = cas();
  setup.params = {{"backoff", text("truncated_exponential")}};
  expect_sound(setup, 100);
}

TEST(cas, takes_two_verbs_for_a_free_pair_and_leaves_the_entry_free) {
  for (const char* release : {"cas", "write"}) {
    RunSetup setup = cas();
    setup.client_nodes = setup.clients_per_node = 1;
    setup.params = {{"release", text(release)}};
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.sends + outcome.tally.calls, 0U);
    EXPECT_EQ(outcome.entry, "free");
  }
}

TEST(cas, takes_readers_exclusively) {
  RunSetup setup = cas();
  setup.shared_percent = 100;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed)
    EXPECT_EQ(run(setup, seed).most_inside, 1U);
}

TEST(cas, gives_up_at_the_deadline_without_touching_the_lock) {
  expect_usable_after_deadlines(cas());
}

TEST(cas, decodes_which_client_holds_the_lock) {
  const ProtocolEntry& entry = *find_protocol("cas");
  const auto protocol = entry.make(entry.info.resolve("paper"));
  const std::uint64_t held = 8;
  EXPECT_EQ(protocol->decode({&held, 1}), "held by client 7");
}

TEST(cas, rejects_watermarks_the_wrong_way_round) {
  const ProtocolInfo& info = find_protocol("cas")->info;
  ParamSet params = info.resolve("paper");
  EXPECT_EQ(info.contradiction(params), "");
  params.set("low_watermark_percent", number(60));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("low_watermark_percent is 60"));
}

TEST(cas, rejects_a_random_backoff_whose_first_pause_exceeds_its_bound) {
  const ProtocolInfo& info = find_protocol("cas")->info;
  ParamSet params = info.resolve("dslr_paper");
  EXPECT_EQ(info.contradiction(params), "");
  params.set("backoff_first", seconds(1));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("raise backoff_bound"));
}

// The constants of the sources: R = 10 us and L = 10 ms; 4096 cycles at 2.4 GHz, up to 2^10 times.
TEST(cas, has_the_backoffs_of_smart_and_dslr_as_profiles) {
  const ProtocolInfo& info = find_protocol("cas")->info;
  const ParamSet dslr = info.resolve("dslr_paper");
  EXPECT_EQ(dslr.choice("backoff"), "random");
  EXPECT_EQ(dslr.duration("backoff_first"), microseconds(10));
  EXPECT_EQ(dslr.duration("backoff_bound"), milliseconds(10));
  const ParamSet smart = info.resolve("smart");
  EXPECT_EQ(smart.choice("backoff"), "truncated_exponential");
  EXPECT_EQ(smart.duration("backoff_initial"), nanoseconds(1707));
  EXPECT_EQ(smart.integer("backoff_cap_shift"), 10);
  EXPECT_EQ(smart.integer("low_watermark_percent"), 10);
  EXPECT_EQ(smart.integer("high_watermark_percent"), 50);
}

AdaptiveBackoffOptions fast() {
  AdaptiveBackoffOptions options;
  options.initial = nanoseconds(100);
  options.interval = microseconds(1);
  options.cap_shift = 2;
  return options;
}

TEST(adaptive_backoff, doubles_its_bound_up_to_the_cap_when_most_tries_are_retries) {
  const AdaptiveBackoffOptions options = fast();
  AdaptiveBackoff backoff(options);
  Time now = Time{} + milliseconds(1);
  for (const int expected : {200, 400, 400}) {
    backoff.completed(9, now);
    EXPECT_EQ(backoff.bound(), nanoseconds(expected));
    now = now + microseconds(2);
  }
}

TEST(adaptive_backoff, halves_its_bound_down_to_the_start_when_retries_are_rare) {
  const AdaptiveBackoffOptions options = fast();
  AdaptiveBackoff backoff(options);
  Time now = Time{} + milliseconds(1);
  backoff.completed(9, now);
  backoff.completed(9, now + microseconds(2));
  for (const int expected : {200, 100, 100}) {
    now = now + microseconds(10);
    backoff.completed(0, now);
    EXPECT_EQ(backoff.bound(), nanoseconds(expected));
  }
}

TEST(adaptive_backoff, leaves_its_bound_alone_within_the_interval) {
  const AdaptiveBackoffOptions options = fast();
  AdaptiveBackoff backoff(options);
  backoff.completed(9, Time{} + milliseconds(1));
  backoff.completed(9, Time{} + milliseconds(1) + nanoseconds(500));
  EXPECT_EQ(backoff.bound(), nanoseconds(200));
}

TEST(adaptive_backoff, pauses_at_least_the_exponential_and_less_than_one_jitter_more) {
  const AdaptiveBackoffOptions options = fast();
  AdaptiveBackoff backoff(options);
  backoff.completed(9, Time{} + milliseconds(1));
  for (Salt salt; salt.value < 100; ++salt.value) {
    EXPECT_GE(backoff.pause(0, salt), nanoseconds(100));
    EXPECT_LT(backoff.pause(0, salt), nanoseconds(200));
    EXPECT_GE(backoff.pause(9, salt), nanoseconds(200));
    EXPECT_LT(backoff.pause(9, salt), nanoseconds(300));
  }
}

TEST(random_backoff, doubles_its_range_up_to_the_bound) {
  const Duration first = microseconds(10);
  const Duration bound = microseconds(40);
  Duration longest[5] = {};
  for (Salt salt; salt.value < 2000; ++salt.value)
    for (std::uint64_t c = 1; c <= 5; ++c)
      longest[c - 1] = std::max(longest[c - 1], random_backoff(first, bound, c, salt));
  for (int c = 0; c < 5; ++c) {
    const Duration range = std::min(Duration{first.ps << c}, bound);
    EXPECT_LT(longest[c], range);
    EXPECT_GT(longest[c], range / 2);
  }
}

// ---- what every lock is tested for ----

TEST(cas, looks_free_after_a_write_frees_it) {
  RunSetup setup = crowd("cas");
  setup.params = {{"release", text("write")}};
  expect_free_when_all_have_gone(setup);
}

TEST(cas, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead("cas");
  EXPECT_TRUE(is_free("cas", {0}));
  EXPECT_FALSE(is_free("cas", {3}));
}

TEST(cas, takes_ordinary_paths_under_contention) {
  expect_paths(crowd("cas"),
               {"the lock is free at the first try", "the lock is held at the first try",
                "retries follow at once", "a retry takes the lock", "a CAS frees the lock"},
               {"a client gives up at its deadline", "the server fails at the first try",
                "the server fails during the retries", "a WRITE frees the lock"});
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, cas_is_sound_with_backoff) {
  expect_sound_run(timed("cas", "paper"));
}
TEST(timed, cas_is_sound_as_ported) {
  expect_sound_run(timed("cas", "shiftlock_artifact"));
}
TEST(timed, cas_is_sound_with_the_backoff_of_smart) {
  expect_sound_run(timed("cas", "smart"));
}
TEST(timed, cas_is_sound_with_the_backoff_of_dslr) {
  expect_sound_run(timed("cas", "dslr_paper"));
}

// A client tries for 1 ms. The bound does not move, so that each pause is between t0 and 2 * t0.
TEST(timed, cas_pauses_as_smart_does) {
  expect_pauses({"cas", "smart"}, LockMode::exclusive, microseconds(1'000), nanoseconds(1707),
                nanoseconds(2 * 1707));
}
// Pauses c = 1, 2, .. are shorter than 10 us, 20 us, ..: the seventh begins within 640 us and 6
// round trips. If they did not double there would be 100.
TEST(timed, cas_pauses_as_dslr_does) {
  const std::uint64_t tries =
      tries_within({"cas", "dslr_paper"}, LockMode::exclusive, microseconds(1'000));
  EXPECT_GE(tries, 7U);
  EXPECT_LE(tries, 20U);
}
TEST(timed, cas_pauses_no_longer_than_the_bound_of_dslr) {
  expect_pauses({"cas", "dslr_paper", {{"backoff_bound", microseconds(10)}}}, LockMode::exclusive,
                microseconds(1'000), nanoseconds(2'500), microseconds(10));
}
#endif

TEST(cas, decodes_the_holder_from_the_first_word_alone) {
  const ProtocolEntry& entry = *find_protocol("cas");
  const auto protocol = entry.make(entry.info.resolve("paper"));
  const std::uint64_t held_and_next[] = {8, 0};
  const std::uint64_t free_and_next[] = {0, 8};
  EXPECT_EQ(protocol->decode({held_and_next, 1}), "held by client 7");
  EXPECT_EQ(protocol->decode({free_and_next, 1}), "free");
}

TEST(cas, needs_masked_atomics_only_where_it_uses_them) {
  const ProtocolEntry& entry = *find_protocol("cas");
  ParamSet params = entry.small_params();
  EXPECT_THAT(entry.make(params)->needs(), IsEmpty());
  params.set("masked", true);
  EXPECT_THAT(entry.make(params)->needs(), ElementsAre(Capability::masked_atomics_8));
}

TEST(cas, enters_its_retry_phase_only_if_it_finds_a_holder) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("cas");
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "acquire IA RT", "release IA"));
  setup.client_nodes = 1;
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "release IA"));
}

}  // namespace
}  // namespace latchlab::testing
