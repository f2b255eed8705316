// Upgrades, extents and leases with the reference lock, without faults and with its faults.

#include "core/run/share.h"
#include "tests/protocols/sections.h"

namespace latchlab::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Readers, and updaters each of which upgrades, of one lock or of parts of it.
RunSetup readers_and_updaters(Extent extent) {
  RunSetup setup =
      repeated(kReferenceLock, 3, [=](ClientId client, const World& world, Section& section) {
        const bool updates = client.value % 2 == 0;
        want(world, section, 0, updates ? LockMode::update : LockMode::shared, extent);
        section.upgrades = updates ? 1 : 0;
        section.work.hold = nanoseconds(20);
      });
  setup.guard = GuardMode::on;
  return setup;
}

TEST(Upgrades, exclude_readers_and_move_the_guards_count) {
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(readers_and_updaters({}), seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
    EXPECT_EQ(outcome.upgraded, 6U);
    EXPECT_EQ(outcome.guard.checks, outcome.acquired + outcome.upgraded);
    EXPECT_THAT(outcome.guard.conflicts, IsEmpty());
    EXPECT_EQ(outcome.guard_word, 0U);
  }
}

TEST(Upgrades, by_a_lock_that_waits_for_no_reader_are_caught_by_monitor_and_guard) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  RunSetup setup = readers_and_updaters({});
  setup.params = {{"fault", text("upgrades_at_once")}};
  EXPECT_NE(first_seed(setup, 50, [](const Outcome& o) { return o.safety.violations > 0; }), 0U);
  EXPECT_NE(first_seed(setup, 50, [](const Outcome& o) { return judge(o.guard).violations > 0; }),
            0U);
}

TEST(Extents, smaller_than_the_whole_are_not_guarded_and_not_counted_as_checked) {
  const Outcome outcome = run(readers_and_updaters({0, 8}), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.guard.checks, 0U);
}

// Each client wants a range that overlaps the next client's.
RunSetup stretches(const char* fault) {
  RunSetup setup =
      repeated(kReferenceLock, 3, [](ClientId client, const World& world, Section& section) {
        want(world, section, 0, LockMode::exclusive, {client.value * 4ULL, 6});
        want(world, section, 0, LockMode::exclusive, {100 + client.value * 4ULL, 4});
        section.work.hold = nanoseconds(20);
      });
  setup.params = {{"fault", text(fault)}};
  return setup;
}

TEST(Extents, exclude_each_other_exactly_if_they_overlap) {
  std::uint64_t most = 0;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(stretches("none"), seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
    most = std::max(most, outcome.most_inside);
  }
  EXPECT_GE(most, on_hardware() ? 2U : 4U) << "in the explorer, two clients with two grants each";
}

TEST(Extents, of_a_lock_that_ignores_overlaps_are_caught) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  const RunSetup setup = stretches("shares_extents");
  const std::uint64_t seed =
      first_seed(setup, 50, [](const Outcome& o) { return o.safety.violations > 0; });
  ASSERT_NE(seed, 0U);
  EXPECT_THAT(run(setup, seed).violation, HasSubstr("units from"));
}

// ---- leases ----

RunSetup leased(bool extend) {
  RunSetup setup =
      repeated(kReferenceLock, 2, [=](ClientId client, const World& world, Section& section) {
        want(world, section, 0);
        section.extend = extend;
        section.work.hold = client.value == 0 ? milliseconds(50) : nanoseconds(10);
      });
  setup.params = {{"lease", milliseconds(10)}};
  return setup;
}

TEST(Leases, limit_the_work_of_a_section) {
  LATCHLAB_NEEDS_EXPLORER("a lease shorter than a verb on a busy machine may take");
  for (std::uint64_t seed = 1; seed <= seeds(30); ++seed) {
    const Outcome outcome = run(leased(false), seed);
    ASSERT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
    EXPECT_EQ(outcome.safety.late_effects, 0U);
  }
}

TEST(Leases, are_extended_before_longer_work) {
  LATCHLAB_NEEDS_EXPLORER("a lease shorter than a verb on a busy machine may take");
  const Outcome outcome = run(alone(leased(true)), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.extended, 2U);
  EXPECT_TRUE(outcome.safe());
}

TEST(Work, does_not_begin_after_its_lease_has_expired) {
  LATCHLAB_NEEDS_EXPLORER("a lease shorter than a verb on a busy machine may take");
  RunSetup setup = alone(leased(false));
  setup.object_bytes = 8;
  const auto fill = setup.section;
  setup.section = [fill](ClientId client, std::uint64_t count, const World& world,
                         Section& section) {
    section.work.writes = 1;
    return fill(client, count, world, section);
  };
  EXPECT_EQ(run(setup, 1).tally.writes(), 0U) << "the hold takes all of the lease";
}

TEST(Limits, refuse_sections_that_hold_more_than_the_lock_allows) {
  Point point;
  point.protocol.name = kReferenceLock;
  ParamSet params = reference_lock().info.resolve("default");
  params.set("max_held", std::int64_t{2});
  const auto protocol = reference_lock().make(params);
  EXPECT_EQ(limits_exceeded(point, *protocol, 2), "");
  EXPECT_EQ(limits_exceeded(point, *protocol, 3),
            "with reference_lock a client holds at most 2 at once, and a section needs 3");
}

TEST(Limits, refuse_a_stride_below_an_entry_that_grew_with_the_clients) {
  Point point;
  point.protocol.name = "cql";
  point.platform.client_nodes = 2;
  point.platform.clients_per_node = 64;
  const ProtocolEntry& cql = *find_protocol("cql");
  const auto protocol = cql.make(cql.info.resolve(cql.info.profiles.front().name));
  point.locks.stride_bytes = 512;
  const std::string refused = limits_exceeded(point, *protocol);
  EXPECT_EQ(refused,
            "an entry of cql has 1032B with 128 clients, and locks.stride is 512B; set it to "
            "1032B");
  for (const std::uint64_t fine : {0, 64, 1032}) {
    point.locks.stride_bytes = fine;
    EXPECT_EQ(limits_exceeded(point, *protocol), "") << fine;
  }
}

}  // namespace
}  // namespace latchlab::testing
