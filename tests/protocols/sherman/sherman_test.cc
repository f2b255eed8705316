// sherman in the explorer: grants, the number of handovers within a node, and costs.

#include "tests/protocols/marks.h"
#include "tests/protocols/sherman/chains.h"

namespace latchlab::sherman_tests {
namespace {

using ::testing::ElementsAre;

RunSetup sherman(std::uint32_t nodes, std::uint32_t clients, ParamValues params = {}) {
  return neighbours("sherman", nodes, clients, std::move(params));
}

// Each switch alone, and all switches of the authors' code.
std::vector<ParamValues> forms() {
  return {{},
          {{"lock_width", text("64bit")}},
          {{"unlock_by", text("faa")}},
          {{"lock_width", text("64bit")}, {"unlock_by", text("faa")}},
          {{"unlock_posted", true}},
          {{"lock_width", text("64bit")}, {"unlock_posted", true}, {"max_handovers", number(7)}},
          {{"max_handovers", number(0)}},
          packed()};
}

TEST(sherman, admits_one_client_at_a_time_and_all_clients_finish) {
  for (const ParamValues& form : forms()) {
    testing::expect_sound(sherman(2, 2, form), 100);
    testing::expect_sound(sherman(3, 1, form), 50);
    testing::expect_sound(sherman(1, 5, form), 50);
  }
}

TEST(sherman, keeps_the_queues_of_several_locks_apart) {
  RunSetup setup = sherman(2, 3);
  setup.locks = 3;
  testing::expect_sound(setup, 200);
}

TEST(sherman, holds_several_locks_at_once) {
  for (const ParamValues& form : forms()) expect_sound_with_several_held(sherman(2, 2, form));
}

// The last unlock may be under way when the run ends, if no client waits for it.
TEST(sherman, looks_free_after_all_clients_have_released_and_not_before) {
  for (const char* width : {"16bit", "64bit"})
    for (const char* by : {"write", "faa"})
      testing::expect_free_when_all_have_gone(
          sherman(2, 3, {{"lock_width", text(width)}, {"unlock_by", text(by)}}));
}

// ---- hand-over ----

// At most so many handovers in a row, and in some order exactly so many.
TEST(sherman, hands_over_at_most_max_handovers_times_in_a_row) {
  LATCHLAB_NEEDS_EXPLORER("asks for the longest of many chains");
  for (const std::int64_t most : {0, 1, 3, 8}) {
    std::uint64_t longest = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const RunSetup setup = sherman(2, 5, {{"max_handovers", number(most)}});
      longest = std::max(longest, watch(setup, seed).longest);
    }
    EXPECT_EQ(longest, static_cast<std::uint64_t>(most));
  }
}

// After an acquisition the node counts from zero.
TEST(sherman, hands_over_only_within_a_node) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    EXPECT_EQ(watch(sherman(4, 1), seed).handed, 0U) << "seed " << seed;
}

// ---- costs ----

TEST(sherman, takes_an_atomic_and_a_write_for_a_free_pair) {
  for (const char* width : {"16bit", "64bit"}) {
    for (const bool posted : {false, true}) {
      const Outcome outcome =
          testing::run(sherman(1, 1, {{"lock_width", text(width)}, {"unlock_posted", posted}}), 1);
      EXPECT_EQ(outcome.acquired, 6U);
      EXPECT_EQ(outcome.tally.atomics(), outcome.acquired);
      EXPECT_EQ(outcome.tally.writes(), outcome.acquired);
      EXPECT_EQ(outcome.tally.sends + outcome.tally.calls + outcome.tally.reads(), 0U);
    }
  }
}

TEST(sherman, takes_two_atomics_for_a_free_pair_if_an_faa_releases) {
  for (const char* width : {"16bit", "64bit"}) {
    const Outcome outcome =
        testing::run(sherman(1, 1, {{"lock_width", text(width)}, {"unlock_by", text("faa")}}), 1);
    EXPECT_EQ(outcome.tally.atomics(), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
    EXPECT_EQ(outcome.entry, "free");
  }
}

// On one node no CAS fails, unless an unlock that no client waited for is still under way.
TEST(sherman, takes_no_verb_for_a_handover_within_a_node) {
  std::uint64_t handed = 0;
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    const Watched seen = watch(sherman(1, 4, {{"max_handovers", number(3)}}), seed);
    const std::uint64_t chains = seen.outcome.acquired - seen.handed;
    EXPECT_EQ(seen.outcome.tally.atomics(), chains) << "seed " << seed;
    EXPECT_EQ(seen.outcome.tally.writes(), chains) << "seed " << seed;
    EXPECT_EQ(seen.outcome.tally.one_sided(), 2 * chains) << "seed " << seed;
    handed += seen.handed;
  }
  EXPECT_GT(handed, 0U);
}

// One WRITE releases what one CAS acquired, however many handovers there are in between and however
// many CAS fail.
TEST(sherman, releases_the_global_lock_once_per_acquisition) {
  for (const bool posted : {false, true}) {
    for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
      const Watched seen = watch(sherman(2, 3, {{"unlock_posted", posted}}), seed);
      EXPECT_EQ(seen.outcome.tally.writes(), seen.outcome.acquired - seen.handed);
      EXPECT_GE(seen.outcome.tally.atomics(), seen.outcome.tally.writes());
    }
  }
}

// ---- what the lock declares ----

TEST(sherman, asks_each_client_for_one_word) {
  const ProtocolEntry& entry = *find_protocol("sherman");
  const Layout layout = entry.make(entry.small_params())->layout({});
  EXPECT_EQ(layout.client_bytes, 8U);
  EXPECT_EQ(layout.entry_bytes, 8U);
}

TEST(sherman, needs_masked_atomics_only_for_16_bit_locks) {
  const ProtocolEntry& entry = *find_protocol("sherman");
  using enum Capability;
  EXPECT_THAT(entry.make(entry.info.resolve("reconstructed"))->needs(),
              ElementsAre(masked_atomics_8, node_state, local_words));
  EXPECT_THAT(entry.make(entry.info.resolve("repository"))->needs(),
              ElementsAre(node_state, local_words));
}

TEST(sherman, decodes_the_node_that_holds_the_lock) {
  const ProtocolEntry& entry = *find_protocol("sherman");
  const std::vector<std::uint64_t> free = {0};
  const std::vector<std::uint64_t> held = {3};
  for (const char* profile : {"reconstructed", "repository"}) {
    const auto protocol = entry.make(entry.info.resolve(profile));
    EXPECT_EQ(protocol->decode(free), "free");
    EXPECT_EQ(protocol->decode(held), "held by node 3");
  }
}

TEST(sherman, counts_the_queue_of_its_node_as_waiting_for_a_predecessor) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  EXPECT_THAT(testing::phases_of(sherman(2, 2)),
              ElementsAre("acquire WP", "acquire WP IA", "acquire WP IA RT", "release NS",
                          "release NS IA"));
}

// ---- what it does not survive ----

TEST(sherman, leaves_clients_behind_a_crashed_holder_waiting) {
  testing::expect_taken_by_the_dead("sherman");
}

TEST(sherman, takes_ordinary_paths_under_contention) {
  RunSetup setup = crowd("sherman");
  setup.clients_per_node = 3;
  testing::expect_paths(
      setup,
      {"a client is the first of its node", "a client leads its node",
       "a client waits for its neighbours", "the lock is free", "the lock is taken",
       "the lock is taken after retries", "a neighbour hands the lock over",
       "the lock stays at the node", "the next of the node leads", "no client of the node waits"},
      {"the server fails an acquire", "the server fails a release",
       "the lock is freed by a verb that no client awaits"});
}

}  // namespace
}  // namespace latchlab::sherman_tests
