// The parameters and words of citron, and its soundness in the simulator.

#include "core/protocols/citron/citron.h"

#include <memory>
#include <utility>
#include <vector>

#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"
#include "tests/protocols/timed.h"

namespace latchlab::citron_tests {
namespace {

using namespace testing;
using ::testing::HasSubstr;

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
  EXPECT_EQ(outcome.recoveries, 0U) << "a live client is taken for dead";
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
TEST(timed, citron_is_sound_while_pollers_make_its_tree_grow) {
  expect_sound_crowd(crowd_of_ranges(
      256, {{"scale_up_poll", microseconds(20)}, {"scale_up_by", std::string("poller")}}));
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
