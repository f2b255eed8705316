// The verbs and round trips of citron, and its soundness in the simulator.

#include "core/protocols/citron/citron.h"

#include "tests/protocols/citron/alone.h"
#include "tests/protocols/timed.h"

namespace latchlab::citron_tests {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using K = VerbKind;

// ---- parameters ----

std::string refused(const ParamValues& params) {
  const ProtocolEntry& entry = *find_protocol("citron");
  ParamSet set = entry.info.resolve("repaired");
  set.set(params);
  return entry.info.contradiction(set);
}

TEST(citron, refuses_a_tree_of_an_impossible_shape) {
  EXPECT_THAT(refused({{"units", number(1000)}}), HasSubstr("units is 1000"));
  EXPECT_THAT(refused({{"units", number(512)}}), HasSubstr("units is 512"));
  for (const std::int64_t units : {256, 1024, 1 << 28}) {
    EXPECT_EQ(refused({{"units", number(units)}}), "") << units;
  }
}

TEST(citron, refuses_an_Exp_that_cannot_count_to_m) {
  const ParamValues small = {
      {"scale_up_poll", milliseconds(1)}, {"exp_bits", number(2)}, {"meet", number(4)}};
  EXPECT_THAT(refused(small), HasSubstr("exp_bits is 2"));
  ParamValues enough = small;
  enough.emplace_back("meet", number(3));
  EXPECT_EQ(refused(enough), "");
  ParamValues printed = small;
  printed.emplace_back("expansion", text("flag"));
  EXPECT_EQ(refused(printed), "");
}

TEST(citron, refuses_to_change_m_where_trees_grow) {
  EXPECT_THAT(refused({{"scale_up_poll", milliseconds(1)}, {"tune_after", milliseconds(1)}}),
              HasSubstr("remove one"));
}

std::unique_ptr<Protocol> made(const ParamValues& params) {
  const ProtocolEntry& entry = *find_protocol("citron");
  ParamSet set = entry.info.resolve("repaired");
  set.set(params);
  return entry.make(set);
}

TEST(citron, has_an_entry_as_large_as_the_paper_says) {
  EXPECT_EQ(made({})->layout({}).entry_bytes, 16U + 44'739'240U);
  EXPECT_EQ(made({{"units", number(256)}})->layout({}).entry_bytes, 8U * (2 + 5));
}

TEST(citron, requires_the_capabilities_of_its_parts) {
  using ::testing::ElementsAre;
  const Capability masked = Capability::masked_atomics_8;
  const Capability timing = Capability::timing;
  EXPECT_THAT(made({{"lease", Duration{}}})->needs(), ElementsAre(masked, timing));
  EXPECT_THAT(made({})->needs(),
              ElementsAre(masked, timing, Capability::membership, Capability::evict));
  EXPECT_THAT(made({{"lease", Duration{}}, {"scale_up_poll", milliseconds(10)}})->needs(),
              ElementsAre(masked, timing, Capability::calls, Capability::allocate));
  EXPECT_THAT(made({{"lease", Duration{}}, {"tune_after", milliseconds(10)}})->needs(),
              ElementsAre(masked, timing, Capability::node_state, Capability::reliable_messages));
}

TEST(citron, admits_as_many_clients_as_its_counters_can_count) {
  EXPECT_EQ(made({{"nodes", number(1)}})->limits().max_clients, 32'767U);
  EXPECT_EQ(made({})->limits().max_clients, 32'767U / 2);
  EXPECT_EQ(made({{"counter_bits", number(4)}})->limits().max_clients, 7U);
  EXPECT_EQ(made({{"ticket_bits", number(3)}, {"nodes", number(1)}})->limits().max_clients, 3U);
}

TEST(citron, has_a_profile_without_any_part_of_its_fast_path) {
  const ParamSet plain = find_protocol("citron")->info.resolve("no_fast_path");
  ParamSet repaired = find_protocol("citron")->info.resolve("repaired");
  for (const char* part : {"batch_search", "batch_occupy", "lock_children"}) {
    EXPECT_NE(plain.values(), repaired.values()) << part;
    repaired.set(part, false);
  }
  EXPECT_EQ(plain.values(), repaired.values());
}

// ---- words ----

TEST(citron, shows_its_entry_in_words) {
  const auto protocol = made({{"units", number(256)}});
  std::vector<std::uint64_t> words(7);
  EXPECT_TRUE(protocol->is_free({}, words));
  words[1] = 300;
  EXPECT_TRUE(protocol->is_free({}, words));
  words[2] = 1ULL << 60U | 2ULL << 30U | 1ULL << 45U | 3ULL << 15U | 4ULL;
  words[4] = 0b1011;
  words[6] = 1ULL << 63U;
  EXPECT_THAT(protocol->decode(words),
              HasSubstr("maximizer: 300; 1: Exp=0 Occ=1 TCnt=1 TMax=2 DCnt=3 DMax=4; 3: units 0-1 "
                        "3; 5: units 63"));
}
TEST(citron, is_free_if_no_client_is_counted) {
  const auto protocol = made({{"units", number(256)}});
  const auto with = [](std::size_t at, std::uint64_t word) {
    std::vector<std::uint64_t> words(7);
    words[at] = word;
    return words;
  };
  EXPECT_FALSE(protocol->is_free({}, with(2, 1)));            // DMax
  EXPECT_FALSE(protocol->is_free({}, with(2, 1ULL << 30U)));  // TMax
  EXPECT_FALSE(protocol->is_free({}, with(2, 1ULL << 60U)));  // Occ
  EXPECT_TRUE(protocol->is_free({}, with(2, 0x8001)));        // both counters of those below
  EXPECT_TRUE(protocol->is_free({}, with(2, 1ULL << 61U)));   // Exp
  EXPECT_FALSE(protocol->is_free({}, with(3, 1ULL << 61U)));  // a leaf has no Exp
  EXPECT_FALSE(protocol->is_free({}, with(0, 1)));
}

#if LATCHLAB_WITH_SIMGRID

// ---- verbs and round trips ----

struct Kinds {
  std::uint32_t reads = 0, bits = 0, counts = 0, mutex = 0;  // READ, masked CAS, masked FAA, FAA
};

void expect_spent(const Spent& spent, const Kinds& verbs, double trips) {
  EXPECT_EQ(spent.verbs.reads(), verbs.reads);
  EXPECT_EQ(spent.verbs.of(K::masked_cas), verbs.bits);
  EXPECT_EQ(spent.verbs.of(K::masked_faa), verbs.counts);
  EXPECT_EQ(spent.verbs.of(K::faa), verbs.mutex);
  EXPECT_EQ(spent.verbs.one_sided(), verbs.reads + verbs.bits + verbs.counts + verbs.mutex);
  EXPECT_EQ(spent.verbs.calls + spent.verbs.sends, 0U);
  EXPECT_NEAR(spent.trips, trips, 0.05);
}

// Two round trips of 11 READs, and of a CAS, 3 FAAs and a READ; to release, one of a CAS and 3
// FAAs.
TEST(citron_timed, costs_of_a_leaf) {
  const CycleCost turn = Alone({}, {{5, 10}}).run()[0];
  expect_spent(turn.acquire, {.reads = 11 + 1, .bits = 1, .counts = 3}, 2);
  expect_spent(turn.release, {.bits = 1, .counts = 3}, 1);
}
TEST(citron_timed, costs_of_a_leaf_without_the_fast_path) {
  const CycleCost turn =
      Alone({{"batch_search", false}, {"batch_occupy", false}}, {{5, 10}}).run()[0];
  expect_spent(turn.acquire, {.reads = 11 + 1, .bits = 1, .counts = 3}, 3);
  expect_spent(turn.release, {.bits = 1, .counts = 3}, 1);
}

// A ticket with 10 READs; then a CAS of the node, four of leaves, FAAs at heights 2, 6 and 8, and a
// READ.
TEST(citron_timed, costs_of_a_node_above_leaves) {
  const CycleCost turn = Alone({}, {{0, 256}}).run()[0];
  expect_spent(turn.acquire, {.reads = 10 + 1, .bits = 1 + 4, .counts = 1 + 3}, 2);
  expect_spent(turn.release, {.bits = 4, .counts = 1 + 3}, 1);
}
TEST(citron_timed, costs_of_a_node_above_leaves_that_waits) {
  const ParamValues waits = {{"lock_children", false}, {"t_wait", kLeg * 6}};
  const CycleCost turn = Alone(waits, {{0, 256}}).run()[0];
  expect_spent(turn.acquire, {.reads = 10 + 1 + 1, .bits = 1, .counts = 1 + 3}, 3 + 3);
  expect_spent(turn.release, {.counts = 1 + 3}, 1);
}

// At height 5: T_wait, and a READ for each of m levels.
TEST(citron_timed, costs_of_an_inner_node) {
  const CycleCost turn = Alone({{"t_wait", kLeg * 6}}, {{0, 65'536}}).run()[0];
  expect_spent(turn.acquire, {.reads = 6 + 1 + 4, .bits = 1, .counts = 1 + 2}, 3 + 3);
  expect_spent(turn.release, {.counts = 1 + 2}, 1);
}
TEST(citron_timed, costs_of_an_inner_node_without_the_fast_path) {
  const ParamValues params = {
      {"t_wait", kLeg * 8}, {"batch_search", false}, {"batch_occupy", false}};
  const CycleCost turn = Alone(params, {{0, 65'536}}).run()[0];
  // T_wait begins when Occ is set; a round trip ends when the ancestors have been notified.
  expect_spent(turn.acquire, {.reads = 6 + 1 + 4, .bits = 1, .counts = 1 + 2}, 4 + 4);
  expect_spent(turn.release, {.counts = 1 + 2}, 1);
}

// Two leaves are acquired one after the other and released at once.
TEST(citron_timed, costs_of_two_leaves) {
  const CycleCost turn = Alone({}, {{60, 10}}).run()[0];
  expect_spent(turn.acquire, {.reads = 2 * 12, .bits = 2, .counts = 2 * 3}, 4);
  expect_spent(turn.release, {.bits = 2, .counts = 2 * 3}, 1);
}

// The mutex is acquired before and released after.
TEST(citron_timed, costs_of_units_beyond_the_tree) {
  const std::vector<CycleCost> turns = Alone({}, {{(1 << 28) - 1, 2}, {1 << 28, 5}}).run();
  expect_spent(turns[0].acquire, {.reads = 12, .bits = 1 + 1, .counts = 3, .mutex = 1}, 3);
  expect_spent(turns[0].release, {.bits = 1, .counts = 3, .mutex = 1}, 2);
  expect_spent(turns[1].acquire, {.reads = 1, .bits = 1, .mutex = 1}, 2);
  expect_spent(turns[1].release, {.mutex = 1}, 1);
}

TEST(citron_timed, choosing_nodes_costs_cpu_time_and_no_round_trip) {
  const std::vector<CycleCost> turns =
      Alone({{"split_time", kLeg}, {"t_wait", kLeg * 6}}, {{0, 64}, {0, 65'536}}).run();
  EXPECT_NEAR(turns[0].acquire.trips, 2, 0.05);  // one leaf needs no choosing
  EXPECT_NEAR(turns[1].acquire.trips, 6.5, 0.05);
}

// ---- contention ----

// Ranges of all sizes from any unit on, some of them beyond the tree.
RunSetup crowd_of_ranges(std::uint64_t units, ParamValues params) {
  RunSetup setup = timed("citron", "repaired");
  setup.params = std::move(params);
  setup.params.emplace_back("units", number(static_cast<std::int64_t>(units)));
  setup.client_nodes = 8;
  setup.section = [units](ClientId client, std::uint64_t count, const World& world,
                          Section& section) {
    if (count >= 60) return false;
    const std::uint64_t dice = hash_of(7, client.value, count);
    const Extent range{mix64(dice) % (units + units / 8), 1 + dice % (1ULL << (dice % 12))};
    section.wants.push_back(Want{world.lock(LockId{0}), LockMode::exclusive, range, GrantId{}});
    section.work.hold = microseconds(1);
    return true;
  };
  return setup;
}
void expect_sound_crowd(const RunSetup& setup) {
  const Outcome outcome = run(setup, 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
  EXPECT_TRUE(outcome.free) << outcome.entry;
  EXPECT_EQ(outcome.recoveries, 0U) << "somebody who lives is taken for dead";
  EXPECT_GT(outcome.most_inside, 1U);
}

TEST(timed, citron_is_sound) {
  expect_sound_crowd(crowd_of_ranges(4096, {}));
}
TEST(timed, citron_is_sound_without_its_fast_path) {
  expect_sound_crowd(crowd_of_ranges(
      4096, {{"batch_search", false}, {"batch_occupy", false}, {"lock_children", false}}));
}
TEST(timed, citron_is_sound_while_its_tree_grows) {
  expect_sound_crowd(crowd_of_ranges(256, {{"scale_up_poll", microseconds(20)}}));
}
TEST(timed, citron_is_sound_while_m_changes) {
  expect_sound_crowd(crowd_of_ranges(4096, {{"tune_after", microseconds(100)},
                                            {"tune_meet", number(1)},
                                            {"tune_t_wait", microseconds(20)}}));
}
TEST(timed, citron_is_sound_with_one_node_per_range) {
  expect_sound_crowd(crowd_of_ranges(4096, {{"nodes", number(1)}}));
}

#endif

}  // namespace
}  // namespace latchlab::citron_tests
