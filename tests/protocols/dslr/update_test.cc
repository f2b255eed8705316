// Update locks in dslr: beside readers, exclusive after an upgrade, and first come, first served.

#include <string>

#include "core/protocols/dslr/rules.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/sections.h"

namespace latchlab::testing {
namespace {

const ParamValue kSix = std::string("six");

// Client i does what the i-th letter says: X writes, S reads, U updates, P updates and upgrades.
RunSetup letters(const std::string& text, std::uint64_t times) {
  RunSetup setup =
      repeated("dslr", times, [text](ClientId client, const World& world, Section& section) {
        const char letter = text[client.value];
        want(world, section, 0,
             letter == 'X'   ? LockMode::exclusive
             : letter == 'S' ? LockMode::shared
                             : LockMode::update);
        section.upgrades = letter == 'P' ? 1 : 0;
        section.work.hold = nanoseconds(20);
      });
  setup.locks = 1;
  setup.client_nodes = static_cast<std::uint32_t>(text.size());
  setup.clients_per_node = 1;
  setup.params = {{"counters", kSix}, {"ticket_bits", number(10)}};
  return setup;
}

TEST(dslr_update, takes_two_verbs_when_the_lock_is_free_upgraded_or_not) {
  for (const char* one : {"U", "P"}) {
    const Outcome outcome = run(letters(one, 3), 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.tally.one_sided(), 6U);
    EXPECT_EQ(outcome.tally.atomics(), 6U);
    EXPECT_EQ(outcome.upgraded, *one == 'P' ? 3U : 0U);
    EXPECT_EQ(outcome.entry, "nU=3 nX=0 nS=0 maxU=3 maxX=0 maxS=0");
  }
}

TEST(dslr_update, is_exclusive_with_four_counters) {
  RunSetup setup = letters("P", 1);
  setup.params = {};
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.upgraded, 0U);  // no upgrade is needed
  EXPECT_EQ(outcome.entry, "nX=1 nS=0 maxX=1 maxS=0");
}

TEST(dslr_update, is_held_beside_readers) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  const auto all = [](const Outcome& o) { return o.most_inside == 3; };
  EXPECT_GT(first_seed(letters("USS", 3), 300, all), 0U);
  const auto both = [](const Outcome& o) { return o.most_inside > 1; };
  EXPECT_EQ(first_seed(letters("UU", 3), 300, both), 0U);
  EXPECT_EQ(first_seed(letters("UX", 3), 300, both), 0U);
}

TEST(dslr_update, excludes_by_mode_and_all_clients_finish) {
  for (const char* modes : {"PSX", "PPS", "UPSSX"}) {
    for (std::uint64_t seed = 1; seed <= seeds(300); ++seed) {
      const Outcome outcome = run(letters(modes, 4), seed);
      ASSERT_TRUE(outcome.safe()) << modes << ", seed " << seed << ": " << outcome.violation;
      ASSERT_EQ(outcome.end, RunEnd::finished) << modes << ", seed " << seed << outcome.entry;
      ASSERT_EQ(outcome.recoveries + outcome.aborted, 0U) << modes << ", seed " << seed;
      ASSERT_TRUE(outcome.free) << outcome.entry;
    }
  }
}

TEST(dslr_update, is_sound_through_many_eras) {
  for (const char* modes : {"PSX", "PUS"}) {
    RunSetup setup = letters(modes, 5);
    setup.params = {{"counters", kSix}};
    expect_sound(setup, 300);
  }
}

// A client that upgrades without a wait cannot crash in between; searches cover that case.
TEST(dslr_update, is_sound_when_clients_crash) {
  for (const std::uint32_t dead : {1, 2, 3}) {
    RunSetup setup = letters("PSUX", 3);
    setup.dies = {dead};
    expect_sound(setup, 300);
  }
}

TEST(dslr_update, is_sound_with_several_slots) {
  RunSetup setup = letters("PSX", 5);
  setup.params = {{"counters", kSix},
                  {"ticket_bits", number(4)},
                  {"max_slots", number(2)},
                  {"reserve", microseconds(100)}};
  expect_sound(setup, 300);
  setup.dies = {1};
  expect_sound(setup, 300);
}

TEST(dslr_update, takes_its_paths_under_contention) {
  expect_reached(letters("PSUX", 4),
                 {"an update enters at once", "an update waits for its turn", "an update releases",
                  "an upgrade has no reader to wait for", "an upgrade waits for readers",
                  "the last reader leaves before an upgrade"});
}

// ---- decisions ----

dslr::Ticket ticket(LockMode mode, std::uint32_t x, std::uint32_t s, std::uint32_t u) {
  return {x, s, u, 1, mode};
}

TEST(dslr_update, grants_readers_that_came_before_a_later_update) {
  const dslr::Ticket reader = ticket(LockMode::shared, 1, 0, 1);
  EXPECT_FALSE(my_turn(reader, {1, 0, 1, 1, 0, 1}));  // an earlier update is there
  EXPECT_TRUE(my_turn(reader, {1, 0, 1, 1, 1, 1}));
  EXPECT_TRUE(my_turn(reader, {1, 0, 1, 1, 2, 2}));  // a later one has come and gone
  EXPECT_FALSE(passed(dslr::Options{}, reader, {1, 0, 1, 1, 2, 2}));
}

TEST(dslr_update, waits_for_writers_and_updates_and_its_upgrade_for_readers) {
  dslr::Options options;
  options.six = true;
  options.ticket_bits = 10;
  options.derive();
  const dslr::Ticket update = ticket(LockMode::update, 1, 2, 1);
  EXPECT_FALSE(my_turn(update, {0, 2, 1, 2, 1, 2}));
  EXPECT_FALSE(my_turn(update, {1, 2, 1, 2, 0, 2}));
  EXPECT_TRUE(my_turn(update, {1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(judge_upgrade(options, update, {1, 1, 1, 2, 1, 2}), Verdict::pending);
  EXPECT_EQ(judge_upgrade(options, update, {1, 2, 1, 2, 1, 2}), Verdict::done);
  EXPECT_EQ(judge_upgrade(options, update, {2, 2, 2, 2, 2, 2}), Verdict::abandon);  // repaired
  EXPECT_EQ(judge_upgrade(options, update, {0, 0, 0, 0, 0, 0}), Verdict::abandon);  // a new era
}

TEST(dslr_update, has_six_counters_in_one_word) {
  for (const unsigned bits : {3U, 10U}) {
    const dslr::Tickets before{1, 2, 3, 4, 5, 6};
    for (const bool masked : {false, true}) {
      const dslr::TicketWord word(bits, false, masked, true);
      EXPECT_EQ(word.unpack(word.pack(before)), before);
      const RemoteAddr entry{NodeId{1}, 4096};
      const Verb up = word.add(entry, dslr::Counter::max_u, true);
      EXPECT_EQ(word.unpack(after_atomic(up, word.pack(before))),
                (dslr::Tickets{1, 2, 3, 4, 5, 7}));
      const Verb down = word.add(entry, dslr::Counter::ns, false, 2);
      EXPECT_EQ(word.unpack(after_atomic(down, word.pack(before))),
                (dslr::Tickets{1, 0, 3, 4, 5, 6}));
    }
  }
  EXPECT_EQ(dslr::TicketWord(10, false, false, true).pack({0, 0, 0, 0, 0x3ff, 0}).lo,
            0x3ffULL << 54);
}

TEST(dslr_update, needs_narrow_counters) {
  const ProtocolInfo& info = find_protocol("dslr")->info;
  EXPECT_TRUE(info.update_mode);
  EXPECT_EQ(info.contradiction(info.resolve("update_locks")), "");
  ParamSet wide = info.resolve("repaired");
  wide.set("counters", kSix);
  EXPECT_THAT(info.contradiction(wide), ::testing::HasSubstr("set ticket_bits to 10 or less"));
}

}  // namespace
}  // namespace latchlab::testing
