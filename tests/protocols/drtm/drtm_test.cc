// The drtm lock in the explorer: word format, decisions, verbs, and every path that needs no time.

#include "core/protocols/drtm/client.h"
#include "tests/protocols/deadlines.h"
#include "tests/protocols/promises.h"

namespace latchlab::testing {
namespace {

using drtm::Next;

RunSetup readers_and_writers() {
  RunSetup setup;
  setup.protocol = "drtm";
  setup.shared_percent = 50;
  return setup;
}
RunSetup alone(std::uint32_t shared_percent, std::uint64_t operations) {
  RunSetup setup = readers_and_writers();
  setup.client_nodes = setup.clients_per_node = 1;
  setup.operations = operations;
  setup.shared_percent = shared_percent;
  return setup;
}

TEST(drtm, keeps_writers_from_readers_and_all_clients_finish) {
  expect_sound(readers_and_writers(), 200);
  RunSetup other = readers_and_writers();
  other.params = {{"release", text("write")}, {"short_lease", text("wait")}};
  expect_sound(other, 200);
}

TEST(drtm, takes_one_verb_to_acquire_and_none_to_release_as_a_reader) {
  EXPECT_EQ(run(alone(100, 1), 1).tally.one_sided(), 1U);
  EXPECT_EQ(run(alone(100, 2), 1).tally.one_sided(), 2U) << "the second shares";
  EXPECT_EQ(run(alone(100, 2), 1).tally.mismatched, 1U);
}

TEST(drtm, takes_one_verb_to_acquire_and_one_to_release_as_a_writer) {
  for (const char* release : {"cas", "write"}) {
    RunSetup setup = alone(0, 3);
    setup.params = {{"release", text(release)}};
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.tally.one_sided(), 6U);
    EXPECT_EQ(outcome.tally.sends + outcome.tally.calls, 0U);
    EXPECT_EQ(outcome.entry, "free");
  }
}

TEST(drtm, lets_readers_share_a_lease) {
  std::uint64_t most = 0;
  RunSetup setup = readers_and_writers();
  setup.shared_percent = 100;
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    most = std::max(most, run(setup, seed).most_inside);
  EXPECT_GE(most, 3U);
}

TEST(drtm, gives_up_at_the_deadline_without_touching_the_lock) {
  LATCHLAB_NEEDS_EXPLORER("looks for orders in which clients meet");
  for (const std::int64_t tries : {0, 5}) {
    RunSetup setup = readers_and_writers();
    setup.params = {{"timeout_tries", number(tries)}};
    expect_usable_after_deadlines(setup);
  }
}

// Readers do not release their leases: tries end, and the caller retries.
TEST(drtm, backs_off_after_a_number_of_tries) {
  LATCHLAB_NEEDS_EXPLORER("looks for orders in which clients meet");
  RunSetup setup = readers_and_writers();
  setup.shared_percent = 0;
  setup.params = {{"timeout_tries", number(2)}};
  std::uint64_t aborted = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Outcome outcome = run(setup, seed);
    aborted += outcome.aborted;
    ASSERT_TRUE(outcome.safe()) << outcome.violation;
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    ASSERT_EQ(outcome.acquired, 12U);
  }
  EXPECT_GT(aborted, 0U);
  expect_reached(setup, {"a client backs off after its tries"});
}

TEST(drtm, stays_held_after_a_writer_crashes) {
  expect_taken_by_the_dead("drtm");
}

TEST(drtm, survives_a_crashed_reader) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = readers_and_writers();
  setup.dies = {0, 1};
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    const LockMode mode = client.value < 2 ? LockMode::shared : LockMode::exclusive;
    section.wants.resize(1);
    section.wants[0].lock = world.lock(LockId{0});
    section.wants[0].mode = mode;
    section.work.hold = nanoseconds(20);
    return count < 3;
  };
  expect_sound(setup, 100);
}

TEST(drtm, looks_free_unless_a_writer_holds_it) {
  EXPECT_TRUE(is_free("drtm", {0}));
  EXPECT_TRUE(is_free("drtm", {1'000ULL << 9}));
  EXPECT_FALSE(is_free("drtm", {1 | 7 << 1}));
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed)
    EXPECT_TRUE(run(crowd("drtm"), seed).free);
}

TEST(drtm, decodes_its_word) {
  const ProtocolEntry& entry = *find_protocol("drtm");
  const auto protocol = entry.make(entry.info.resolve("reconstructed"));
  const auto decoded = [&](std::uint64_t word) { return protocol->decode({&word, 1}); };
  EXPECT_EQ(decoded(0), "free");
  EXPECT_EQ(decoded(drtm::locked_by(ClientId{258})), "locked by client 2 (modulo 256)");
  EXPECT_EQ(decoded(1'000ULL << 9), "leased until 1000 ns");
}

TEST(drtm, rejects_leases_too_short_for_any_client) {
  const ProtocolInfo& info = find_protocol("drtm")->info;
  ParamSet params = info.resolve("reconstructed");
  params.set("lease", microseconds(50));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("not longer than delta"));
}

// A lease of 1 ms and a delta of 50 us leave less than 950 us to a client that shares the lease.
TEST(drtm, rejects_a_reserve_longer_than_a_lease) {
  const ProtocolInfo& info = find_protocol("drtm")->info;
  ParamSet params = info.resolve("reconstructed");
  params.set("reserve", microseconds(949));
  EXPECT_EQ(info.contradiction(params), "");
  params.set("reserve", microseconds(950));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("lower reserve"));
}

TEST(drtm, takes_ordinary_paths_under_contention) {
  expect_paths(
      crowd("drtm"),
      {"a reader installs a lease", "a reader shares a lease", "a writer takes a free word",
       "a writer takes over a lease", "a writer waits for a lease", "a writer waits for a writer",
       "a reader waits for a writer", "the clock ends a wait", "a CAS frees the word",
       "a reader leaves within its lease"},
      {"a client gives up at its deadline", "a client backs off after its tries",
       "the server fails an acquire", "a WRITE frees the word"});
}

// ---- the word and the decisions ----

TEST(drtm_rules, a_lease_end_unpacks_to_what_was_packed) {
  const drtm::Options options;
  Time end = Time{} + milliseconds(3) + picoseconds(700);
  const std::uint64_t word = drtm::leased_until(options, end);
  EXPECT_EQ(end, Time{} + milliseconds(3)) << "rounded down";
  EXPECT_EQ(drtm::lease_end(options, word), end);
  EXPECT_TRUE(drtm::is_leased(word));
  EXPECT_FALSE(drtm::is_locked(word));
}

TEST(drtm_rules, a_lease_end_that_does_not_fit_is_an_error) {
  drtm::Options options;
  options.lease_bits = 10;
  Time fits = Time{} + nanoseconds(1023);
  EXPECT_EQ(drtm::leased_until(options, fits), 1023ULL << 9);
  Time beyond = Time{} + nanoseconds(1024);
  EXPECT_DEATH((void)drtm::leased_until(options, beyond), "give the word more lease_bits");
}

TEST(drtm_rules, a_truncated_lease_end_lies_in_the_past) {
  drtm::Options options;
  options.epoch = drtm::Epoch::unix_truncated;
  Time end = Time{} + milliseconds(1);
  const std::uint64_t word = drtm::leased_until(options, end);
  for (const bool shared : {true, false})
    EXPECT_EQ(drtm::judge(options, word, {shared, {}, Time{}, end, options.delta}), Next::take);
}

// A lease of 1 ms until 1 ms, delta 50 us.
TEST(drtm_rules, readers_share_what_is_valid_and_writers_take_what_has_expired) {
  drtm::Options options;
  Time end = Time{} + milliseconds(1);
  const std::uint64_t word = drtm::leased_until(options, end);
  const auto reader = [&](std::int64_t us, std::int64_t needed_us) {
    const Time now = Time{} + microseconds(us);
    const Time other = now + options.lease + microseconds(1);
    return drtm::judge(options, word, {true, microseconds(needed_us), now, other, options.delta});
  };
  const auto writer = [&](std::int64_t us) {
    const Time now = Time{} + microseconds(us);
    return drtm::judge(options, word, {false, {}, now, {}, options.delta});
  };
  EXPECT_EQ(reader(0, 900), Next::share);
  EXPECT_EQ(reader(0, 950), Next::take);
  EXPECT_EQ(reader(949, 0), Next::share);
  EXPECT_EQ(reader(950, 0), Next::take);
  EXPECT_EQ(writer(1050), Next::wait);
  EXPECT_EQ(writer(1051), Next::take);
  options.short_lease = drtm::ShortLease::wait;
  EXPECT_EQ(reader(950, 0), Next::wait);
  EXPECT_EQ(reader(1050, 0), Next::wait);
  EXPECT_EQ(reader(1051, 0), Next::take);
  options.takeover = drtm::Takeover::not_valid;
  EXPECT_EQ(writer(950), Next::wait);
  EXPECT_EQ(writer(951), Next::take);
  EXPECT_EQ(reader(951, 0), Next::wait) << "readers as before";
}

TEST(drtm_rules, the_margin_is_the_larger_of_delta_and_the_clock_error) {
  const drtm::Options options;
  EXPECT_EQ(options.margin(microseconds(49)), microseconds(50));
  EXPECT_EQ(options.margin(microseconds(51)), microseconds(51));
}

// 950 us of a lease of 1 ms are usable, with a margin of 50 us.
TEST(drtm_rules, a_reader_recomputes_its_lease_while_enough_of_it_is_left) {
  const auto fresh_for = [](Duration needed, Duration margin) {
    return drtm::fresh_for(drtm::Options{}, {true, needed, {}, {}, margin});
  };
  EXPECT_EQ(fresh_for(microseconds(600), microseconds(50)), microseconds(350));
  EXPECT_EQ(fresh_for({}, microseconds(50)), microseconds(475));
  EXPECT_EQ(fresh_for(microseconds(949), microseconds(50)), nanoseconds(118'750));
  EXPECT_EQ(fresh_for({}, microseconds(900)), microseconds(50)) << "not more than is usable";
  EXPECT_EQ(fresh_for({}, microseconds(1001)), Duration{}) << "nothing is";
}

// The read took from 10 to 14 on the client's own clock; the common clock showed 100.
TEST(clock_look, converts_dates_to_the_safe_side) {
  const auto at = [](std::int64_t us) { return Time{} + microseconds(us); };
  const drtm::ClockLook look{at(10), at(100), at(14), Duration{}};
  EXPECT_EQ(look.own_at_earliest(at(130)), at(40));
  EXPECT_EQ(look.own_at_latest(at(130)), at(44));
  EXPECT_EQ(look.own_at_earliest(at(95)), at(5));
}

}  // namespace
}  // namespace latchlab::testing
