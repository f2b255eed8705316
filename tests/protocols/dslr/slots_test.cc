// Multi-slot leasing in dslr: how many tickets a client takes, how long they let it hold the lock,
// and how eras end when clients take several tickets.

#include "core/protocols/dslr/rules.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/sections.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

constexpr Duration kShortLease = microseconds(100);  // the small model's

ParamValues slots(std::int64_t bits, std::int64_t most, ParamValues others = {}) {
  others.emplace_back("ticket_bits", number(bits));
  others.emplace_back("max_slots", number(most));
  return others;
}

// One client that expects to hold the lock for this long.
Outcome alone_expecting(Duration hold, std::uint64_t times, const ParamValues& params) {
  RunSetup setup =
      alone(repeated("dslr", times, [hold](ClientId, const World& world, Section& section) {
        want(world, section, 0);
        section.options.expected_hold = hold;
      }));
  setup.params = params;
  return run(setup, 1);
}

TEST(dslr_slots, are_as_many_as_the_expected_leases) {
  LATCHLAB_NEEDS_EXPLORER("whose leases are as long as they are set");
  const ParamValues params = slots(8, 4);
  const auto entry = [&](Duration hold) { return alone_expecting(hold, 1, params).entry; };
  EXPECT_EQ(entry(Duration{}), "nX=1 nS=0 maxX=1 maxS=0");
  EXPECT_EQ(entry(kShortLease - picoseconds(1)), "nX=1 nS=0 maxX=1 maxS=0");
  EXPECT_EQ(entry(kShortLease),
            "nX=2 nS=0 maxX=2 maxS=0");  // a lease that has expired is of no use
  EXPECT_EQ(entry(kShortLease * 5 / 2), "nX=3 nS=0 maxX=3 maxS=0");
  EXPECT_EQ(entry(kShortLease * 100), "nX=4 nS=0 maxX=4 maxS=0");
  EXPECT_EQ(alone_expecting(kShortLease * 100, 1, {}).entry, "nX=1 nS=0 maxX=1 maxS=0");
}

TEST(dslr_slots, are_taken_for_the_reserve_if_no_hold_time_is_given) {
  LATCHLAB_NEEDS_EXPLORER("whose leases are as long as they are set");
  const ParamValues params = slots(8, 4, {{"reserve", kShortLease * 2}});
  EXPECT_EQ(alone_expecting(Duration{}, 1, params).entry, "nX=3 nS=0 maxX=3 maxS=0");
  EXPECT_EQ(alone_expecting(kShortLease * 3, 1, params).entry, "nX=4 nS=0 maxX=4 maxS=0");
}

TEST(dslr_slots, cost_no_additional_verb) {
  const Outcome outcome = alone_expecting(kShortLease * 3, 5, slots(8, 4));
  EXPECT_EQ(outcome.acquired, 5U);
  EXPECT_EQ(outcome.tally.one_sided(), 10U);
  EXPECT_EQ(outcome.tally.atomics(), 10U);
}

// Tickets 0, 3 and 6 of 8: the third one is the last.
TEST(dslr_slots, end_the_era_if_their_client_crosses_count_max) {
  LATCHLAB_NEEDS_EXPLORER("whose leases are as long as they are set");
  const ParamValues params = slots(4, 3, {{"reserve", kShortLease * 2}});
  EXPECT_EQ(alone_expecting({}, 2, params).entry, "nX=6 nS=0 maxX=6 maxS=0");
  const Outcome third = alone_expecting({}, 3, params);
  EXPECT_EQ(third.entry, "nX=0 nS=0 maxX=0 maxS=0");
  EXPECT_EQ(third.tally.one_sided(), 7U);  // one CAS more
  EXPECT_EQ(third.recoveries, 0U);
}

dslr::Ticket writer(std::uint32_t ticket, std::uint32_t slots) {
  return {ticket, 0, 0, slots};
}

TEST(dslr_slots, may_cross_count_max_anywhere) {
  dslr::Options options;
  options.ticket_bits = 4;
  options.max_slots = 3;
  options.derive();
  EXPECT_FALSE(is_last(options, writer(4, 3)));
  for (const std::uint32_t ticket : {5U, 6U, 7U}) EXPECT_TRUE(is_last(options, writer(ticket, 3)));
  EXPECT_EQ(served_up_to(writer(6, 3)), (dslr::Tickets{9, 0, 9, 0}));
}

TEST(dslr_slots, lengthen_the_waits_in_proportion) {
  dslr::Options options;
  EXPECT_EQ(options.timeout(5), options.lease * 2);
  options.max_slots = 4;
  EXPECT_EQ(options.timeout(0), options.lease * 2);
  EXPECT_EQ(options.timeout(5), options.lease * 10);
  const dslr::Ticket ticket{7, 3};
  EXPECT_EQ(outstanding(options, ticket, {4, 1, 7, 3}), 5U);
  options.lease = Duration{};
  EXPECT_EQ(options.timeout(5), kForever);
}

// A client takes one or two tickets.
RunSetup mixed() {
  RunSetup setup = repeated("dslr", 5, [](ClientId client, const World& world, Section& section) {
    want(world, section, 0, client.value == 0 ? LockMode::shared : LockMode::exclusive);
    section.options.expected_hold = client.value == 1 ? kShortLease : Duration{};
    section.work.hold = nanoseconds(20);
  });
  setup.locks = 1;
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.params = slots(4, 2);
  return setup;
}

TEST(dslr_slots, are_sound_through_many_eras) {
  for (std::uint64_t seed = 1; seed <= seeds(500); ++seed) {
    const Outcome outcome = run(mixed(), seed);
    ASSERT_TRUE(outcome.safe()) << "seed " << seed << ": " << outcome.violation;
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed << ": " << outcome.entry;
    ASSERT_EQ(outcome.recoveries, 0U) << "seed " << seed;
    ASSERT_TRUE(outcome.free) << outcome.entry;
  }
}

TEST(dslr_slots, are_sound_when_clients_crash) {
  for (const std::uint32_t dead : {0, 1, 2}) {
    RunSetup setup = mixed();
    setup.dies = {dead};
    expect_sound(setup, 300);
  }
}

TEST(dslr_slots, are_refused_if_they_cannot_serve_a_single_client) {
  const ProtocolInfo& info = find_protocol("dslr")->info;
  ParamSet params = info.resolve("multi_slot");
  EXPECT_EQ(info.contradiction(params), "");
  params.set("ticket_bits", number(4));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("not even one client fits"));
}

}  // namespace

#if LATCHLAB_WITH_SIMGRID

// All clients have sections of two and a half leases.
Outcome of_long_sections(std::int64_t most) {
  RunSetup setup = timed("dslr", "repaired");
  setup.operations = 4;
  setup.hold = kShortLease * 5 / 2;
  setup.params = slots(16, most, {{"lease", kShortLease}, {"reserve", setup.hold}});
  return run(setup, 1);
}

TEST(timed, dslr_slots_cover_sections_that_are_longer_than_a_lease) {
  const Outcome outcome = of_long_sections(3);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.suppressed, 0U);
  EXPECT_EQ(outcome.recoveries, 0U);
}

TEST(timed, dslr_without_slots_cuts_off_sections_that_are_longer_than_a_lease) {
  EXPECT_GT(of_long_sections(1).suppressed, 0U);
}

#endif

}  // namespace latchlab::testing
