// The lock of segments: which segments a range takes, what they cost, and that ranges with common
// units exclude each other.

#include "core/protocols/static_segments/client.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/sections.h"
#include "tests/protocols/static_segments/stretches.h"
#include "tests/protocols/timed.h"

namespace latchlab::static_segments_tests {
namespace {

using namespace testing;
using static_segments::span_of;

static_segments::Options options(std::uint64_t units, std::uint64_t segment) {
  static_segments::Options made;
  made.units = units;
  made.segment = segment;
  return made;
}

TEST(static_segments, rounds_the_number_of_segments_up) {
  EXPECT_EQ(options(100, 10).segments(), 10U);
  EXPECT_EQ(options(101, 10).segments(), 11U);
  EXPECT_EQ(options(1, 10).segments(), 1U);
}

// Compared with the definition, unit by unit.
TEST(static_segments, takes_the_segments_that_a_range_has_units_of) {
  const static_segments::Options some = options(22, 5);
  for (std::uint64_t first = 0; first < 40; ++first)
    for (std::uint64_t count = 1; count < 20; ++count) {
      std::set<std::uint64_t> needed;
      for (std::uint64_t unit = first; unit < first + count; ++unit)
        needed.insert(std::min<std::uint64_t>(unit / 5, 4));
      const static_segments::Span span = span_of(some, {first, count});
      EXPECT_EQ(span.first, *needed.begin()) << first << "+" << count;
      EXPECT_EQ(span.last, *needed.rbegin()) << first << "+" << count;
    }
  EXPECT_EQ(span_of(some, Extent{}).first, 0U);
  EXPECT_EQ(span_of(some, Extent{}).last, 4U);
  EXPECT_EQ(span_of(some, {~0ULL - 1, 2}).first, 4U);
}

TEST(static_segments, may_have_several_segments_for_each_unit) {
  static_segments::Options eighths = options(4, 1);
  eighths.parts = 8;
  EXPECT_EQ(eighths.segments(), 32U);
  const static_segments::Span one = span_of(eighths, {1, 1});
  EXPECT_EQ(one.first, 8U);
  EXPECT_EQ(one.last, 15U);
  const static_segments::Span beyond = span_of(eighths, {7, 2});  // as the last unit
  EXPECT_EQ(beyond.first, 24U);
  EXPECT_EQ(beyond.last, 31U);
  eighths.segment = 3;
  EXPECT_EQ(eighths.segments(), 11U);
  EXPECT_EQ(span_of(eighths, {1, 1}).first, 2U);  // parts 6 to 8 have one of this unit
  EXPECT_EQ(span_of(eighths, {1, 1}).last, 5U);
}

TEST(static_segments, excludes_exactly_the_ranges_that_overlap) {
  std::uint64_t most = 0;
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(stretches(2), seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
    most = std::max(most, outcome.most_inside);
  }
  EXPECT_GE(most, on_hardware() ? 1U : 2U);
}

TEST(static_segments, excludes_ranges_beyond_the_last_segment) {
  RunSetup setup = stretches(3, 2);  // of four units: the last client has 6, 7 and 8
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
  }
}

TEST(static_segments, is_sound_with_readers_and_writers_of_the_whole) {
  for (const std::uint32_t shared : {0, 50, 100}) {
    RunSetup setup;
    setup.protocol = "static_segments";
    setup.shared_percent = shared;
    expect_sound(setup, 50);
  }
}

TEST(static_segments, takes_a_ticket_for_each_segment) {
  for (const std::uint64_t units : {1U, 2U, 4U}) {
    const Outcome outcome = run(alone(stretches(units)), 1);
    EXPECT_EQ(outcome.acquired, 3U);
    EXPECT_EQ(outcome.tally.of(VerbKind::faa), 3 * 2 * units);
    EXPECT_EQ(outcome.tally.one_sided(), 3 * 2 * units);
    EXPECT_TRUE(outcome.free);
  }
}

TEST(static_segments, grants_the_range_that_was_asked_for) {
  const Outcome outcome = run(alone(stretches(2)), 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.entry, "0: nX=3 nS=0 maxX=3 maxS=0; 1: nX=3 nS=0 maxX=3 maxS=0");
}

TEST(static_segments, shows_the_segments_in_use) {
  const ProtocolEntry& entry = *find_protocol("static_segments");
  const auto made = entry.make(entry.small_params());
  const std::uint64_t three = run(alone(stretches(1)), 1).words[0];
  EXPECT_EQ(made->decode(std::vector<std::uint64_t>{0, 0, 0}), "unused");
  EXPECT_EQ(made->decode(std::vector<std::uint64_t>{0, 0, three}), "2: nX=3 nS=0 maxX=3 maxS=0");
}

// One section that is longer than the lease. It ends with the lease of the first segment; the lease
// of the second segment began later, and that one is released in time.
RunSetup longer_than_a_lease(const char* releases, const char* late_release) {
  RunSetup setup = alone(stretches(2));
  setup.params = {{"lease", nanoseconds(10)},
                  {"releases", text(releases)},
                  {"late_release", text(late_release)}};
  const auto once = [sections = setup.section](ClientId client, std::uint64_t count,
                                               const World& world, Section& section) {
    return count == 0 && sections(client, count, world, section);
  };
  setup.section = once;
  return setup;
}

// By a READ and a CAS in place of an FAA. Released one by one, the second segment is late as well.
TEST(static_segments, releases_a_segment_whose_lease_ends_in_a_section) {
  LATCHLAB_NEEDS_EXPLORER("whose verbs take less time than a lease of some nanoseconds");
  for (const char* releases : {"together", "one_by_one"}) {
    const Outcome outcome = run(longer_than_a_lease(releases, "unless_repaired"), 1);
    EXPECT_EQ(outcome.acquired, 1U);
    EXPECT_EQ(outcome.suppressed, 0U) << releases;
    const bool together = std::string(releases) == "together";
    EXPECT_EQ(outcome.tally.one_sided(), together ? 2U + 3 : 2U + 4) << releases;
    EXPECT_EQ(outcome.entry, "0: nX=1 nS=0 maxX=1 maxS=0; 1: nX=1 nS=0 maxX=1 maxS=0");
    EXPECT_TRUE(outcome.free);
  }
}

TEST(static_segments, releases_late_segments_unless_a_profile_disables_it) {
  const ProtocolInfo& info = find_protocol("static_segments")->info;
  EXPECT_EQ(info.resolve("citron_baseline").choice("late_release"), "unless_repaired");
  EXPECT_EQ(info.resolve("suppressed").choice("late_release"), "suppress");
}

TEST(static_segments, leaves_a_late_segment_held_with_the_release_of_dslr) {
  LATCHLAB_NEEDS_EXPLORER("whose verbs take less time than a lease of some nanoseconds");
  for (const char* releases : {"together", "one_by_one"}) {
    const Outcome outcome = run(longer_than_a_lease(releases, "suppress"), 1);
    EXPECT_EQ(outcome.acquired, 1U);
    EXPECT_EQ(outcome.suppressed, 1U) << releases;
    EXPECT_EQ(outcome.tally.one_sided(), 2U + 1) << releases;
    EXPECT_EQ(outcome.entry, "0: nX=0 nS=0 maxX=1 maxS=0; 1: nX=1 nS=0 maxX=1 maxS=0");
  }
}

TEST(static_segments, looks_free_after_all_clients_have_released) {
  expect_free_when_all_have_gone(crowd("static_segments"));
}

// A client that crashes between two segments leaves the first one to a repair.
TEST(static_segments, continues_when_clients_crash) {
  RunSetup setup = stretches(2);
  setup.dies = {0, 3};
  const std::uint64_t lost = first_seed(
      setup, seeds(100), [](const Outcome& o) { return !o.safe() || o.end != RunEnd::finished; });
  EXPECT_EQ(lost, 0U);
}

TEST(static_segments, releases_its_segments_if_a_later_one_is_refused) {
  RunSetup setup = stretches(3);
  setup.dies = {0, 3};
  expect_reached(setup, {"a later segment is refused", "a range has several segments"});
}

#if LATCHLAB_WITH_SIMGRID
Task<void> ask_once(World& world, Extent units, AcquireResult& result) {
  const Want want(world.lock(LockId{0}), LockMode::exclusive, units, GrantId{});
  result = co_await world.client(ClientId{0}).acquire(want, {});
}
// A lease is shorter than three round trips: that of the first segment has expired when the third
// is taken.
std::string taken_too_slowly(const char* late_release) {
  const ProtocolEntry& entry = *find_protocol("static_segments");
  ParamSet params = entry.small_params();
  params.set("lease", microseconds(4));
  params.set("units", std::int64_t{3});
  params.set("late_release", std::string(late_release));
  const auto protocol = entry.make(params);
  World world(*protocol, WorldShape{});
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  AcquireResult result;
  backend->spawn(world.verbs(ClientId{0}), ask_once(world, {0, 3}, result), Time{});
  EXPECT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished);
  const Aborted* const aborted = std::get_if<Aborted>(&result);
  EXPECT_TRUE(aborted != nullptr && aborted->reason == AbortReason::recovered);
  return protocol->decode(world.entry(LockId{0}, *backend));
}
TEST(timed, static_segments_releases_all_segments_when_a_lease_expires) {
  EXPECT_EQ(taken_too_slowly("unless_repaired"),
            "0: nX=1 nS=0 maxX=1 maxS=0; 1: nX=1 nS=0 maxX=1 maxS=0; 2: nX=1 nS=0 maxX=1 maxS=0");
}
// Late segments are left to a repair.
TEST(timed, static_segments_releases_only_valid_segments_with_the_release_of_dslr) {
  EXPECT_EQ(taken_too_slowly("suppress"),
            "0: nX=0 nS=0 maxX=1 maxS=0; 1: nX=1 nS=0 maxX=1 maxS=0; 2: nX=1 nS=0 maxX=1 maxS=0");
}
TEST(timed, static_segments_is_sound) {
  expect_sound_run(timed("static_segments", "citron_baseline"));
}
#endif

}  // namespace
}  // namespace latchlab::static_segments_tests
