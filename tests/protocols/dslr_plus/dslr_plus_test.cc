// dslr_plus: dslr's tickets without leases, eras that end, and its backoff.

#include "core/protocols/common/backoff.h"
#include "core/protocols/dslr/rules.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

RunSetup mixed(std::uint32_t clients, std::int64_t bits, std::uint32_t shared_percent = 50) {
  RunSetup setup;
  setup.protocol = "dslr_plus";
  setup.client_nodes = clients;
  setup.clients_per_node = 1;
  setup.operations = 5;
  setup.shared_percent = shared_percent;
  setup.params = {{"ticket_bits", number(bits)}};
  return setup;
}

TEST(dslr_plus, excludes_by_mode_and_all_clients_finish) {
  expect_sound(mixed(5, 16), 500);
}

TEST(dslr_plus, admits_readers_together) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  const auto many = [](const Outcome& o) { return o.most_inside >= 4; };
  EXPECT_GT(first_seed(mixed(5, 16, 100), 100, many), 0U);
}

TEST(dslr_plus, takes_two_atomics_for_a_free_pair_in_either_mode) {
  for (const std::uint32_t shared : {0, 100}) {
    const Outcome outcome = run(mixed(1, 16, shared), 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.tally.atomics(), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
  }
}

TEST(dslr_plus, reads_until_it_is_its_turn) {
  for (const LockMode other : {LockMode::exclusive, LockMode::shared}) {
    Meeting meeting;
    meeting.other = other;
    meet("dslr_plus", {}, 1, meeting);
    EXPECT_TRUE(meeting.entered);
    EXPECT_EQ(meeting.verbs.atomics(), 1U);
    EXPECT_EQ(meeting.verbs.reads(), meeting.verbs.one_sided() - 1);
  }
}

TEST(dslr_plus, starts_new_eras_when_narrow_tickets_run_out) {
  std::uint64_t fresh = 0;
  for (std::uint64_t seed = 1; seed <= seeds(500); ++seed) {
    const Outcome outcome = run(mixed(3, 3), seed);
    ASSERT_TRUE(outcome.safe()) << "seed " << seed << ": " << outcome.violation;
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed << ": " << outcome.entry;
    ASSERT_EQ(outcome.acquired, 15U);
    ASSERT_EQ(outcome.aborted, 0U);
    ASSERT_TRUE(outcome.free) << outcome.entry;
    if (outcome.entry == "nX=0 nS=0 maxX=0 maxS=0") ++fresh;
  }
  if (!on_hardware()) {
    EXPECT_GT(fresh, 0U);
  }
}

// Four tickets; the client with the last one adds a CAS.
TEST(dslr_plus, ends_an_era_with_one_cas) {
  RunSetup setup = mixed(1, 3, 0);
  setup.operations = 4;
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.entry, "nX=0 nS=0 maxX=0 maxS=0");
  EXPECT_EQ(outcome.tally.one_sided(), 9U);
}

TEST(dslr_plus, takes_all_its_paths_under_contention) {
  expect_reached(
      crowd("dslr_plus"),
      {"a reader enters at once", "a writer enters at once", "a reader waits for its turn",
       "a writer waits for its turn", "the turn of a waiting client comes", "a reader releases",
       "a writer releases", "no tickets are left", "a ticket is undone",
       "the last ticket of an era is served", "the last holder ends the era",
       "a client without a ticket sees the next era"});
}

TEST(dslr_plus, looks_free_after_all_clients_have_released) {
  expect_free_when_all_have_gone(crowd("dslr_plus"));
}

TEST(dslr_plus, does_not_survive_a_crashed_holder) {
  expect_taken_by_the_dead("dslr_plus");
}

TEST(dslr_plus, serves_in_order_of_arrival) {
  expect_order_of_arrival("dslr_plus", [](const Words& entry, std::uint32_t count) {
    const dslr::Tickets now = dslr::TicketWord(16, false, false).unpack({entry.lo, 0});
    return now.max_x + now.max_s >= count;
  });
}

// ---- the backoff ----

AdaptiveBackoffOptions of_the_artifact() {
  AdaptiveBackoffOptions options;
  options.initial = nanoseconds(100);
  options.cap_shift = 5;
  options.interval = microseconds(100);
  options.low_percent = 50;
  options.high_percent = 70;
  options.longest_jitter = microseconds(2);
  options.starts_at_cap = true;
  options.lifetime_share = true;
  options.forgets_after = 62;
  return options;
}

TEST(dslr_plus_backoff, doubles_up_to_its_bound_and_forgets) {
  const AdaptiveBackoffOptions options = of_the_artifact();
  const AdaptiveBackoff backoff(options);
  std::set<Duration> parts;
  for (const std::uint64_t salt : {1, 2, 3}) {
    for (const auto& [retry, least] :
         {std::pair{0, 100}, {1, 200}, {4, 1600}, {5, 3200}, {6, 3200}, {61, 3200}, {62, 0}}) {
      const Duration pause = backoff.pause(static_cast<std::uint64_t>(retry), Salt{salt});
      EXPECT_GE(pause, nanoseconds(least)) << retry;
      EXPECT_LT(pause, nanoseconds(least + 2000)) << retry;
      parts.insert(pause - nanoseconds(least));
    }
  }
  EXPECT_EQ(parts.size(), 21U);
}

// The artifact's 100 ns, doubled in 64 bits.
TEST(dslr_plus_backoff, is_forgotten_by_the_artifact_when_it_overflows) {
  const ParamSet artifact = find_protocol("dslr_plus")->info.resolve("declock_artifact");
  const auto retries = static_cast<unsigned>(artifact.integer("forgets_after"));
  EXPECT_NE(std::uint64_t{100} << (retries - 1), 0U);
  EXPECT_EQ(std::uint64_t{100} << retries, 0U);
}

TEST(dslr_plus_backoff, moves_its_bound_by_the_share_of_retries_since_the_start) {
  AdaptiveBackoffOptions options = of_the_artifact();
  AdaptiveBackoff backoff(options);
  Time now;
  const auto look = [&](std::uint64_t retries) {
    now = now + options.interval;
    backoff.completed(retries, now);
    return backoff.bound();
  };
  EXPECT_EQ(backoff.bound(), nanoseconds(3200));
  EXPECT_EQ(look(0), nanoseconds(1600));
  EXPECT_EQ(look(0), nanoseconds(800));
  EXPECT_EQ(look(3), nanoseconds(800));    // 3 of 6
  EXPECT_EQ(look(10), nanoseconds(1600));  // 13 of 17
  EXPECT_EQ(look(0), nanoseconds(3200));   // 13 of 18: earlier retries count
  EXPECT_EQ(look(0), nanoseconds(3200));   // 13 of 19, 68%
  for (int i = 0; i < 100; ++i) look(0);
  EXPECT_EQ(backoff.bound(), nanoseconds(100));
  backoff.completed(1'000'000, now);  // too early
  EXPECT_EQ(backoff.bound(), nanoseconds(100));
}

}  // namespace

#if LATCHLAB_WITH_SIMGRID

// 10, 20, 40 .. 320 us: nine READs within a millisecond, fewer than with 10 us each.
TEST(timed, dslr_plus_doubles_its_pauses_from_the_first_wait_on) {
  Meeting meeting;
  meet("dslr_plus", {{"backoff_initial", microseconds(10)}, {"backoff_jitter", nanoseconds(1)}}, 1,
       meeting, plain_simulation);
  EXPECT_TRUE(meeting.entered);
  EXPECT_EQ(meeting.verbs.atomics(), 1U);
  EXPECT_GE(meeting.verbs.reads(), 7U);
  EXPECT_LE(meeting.verbs.reads(), 10U);
}

TEST(timed, dslr_plus_is_sound) {
  expect_sound_run(timed("dslr_plus", "repaired"));
}

TEST(timed, dslr_plus_is_sound_through_short_eras) {
  RunSetup setup = timed("dslr_plus", "repaired");
  setup.params = {{"ticket_bits", number(5)}};
  expect_sound_run(setup);
}

#endif

}  // namespace latchlab::testing
