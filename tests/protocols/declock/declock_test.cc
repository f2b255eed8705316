// DecLock in the explorer: grants, costs and paths.

#include "tests/protocols/marks.h"
#include "tests/protocols/sherman/chains.h"
#include "tests/protocols/timed.h"

namespace latchlab::declock_tests {
namespace {

using namespace testing;
using ::testing::ElementsAre;

RunSetup declock_case(std::uint32_t shared = 50, ParamValues params = {}) {
  RunSetup setup;
  setup.protocol = "declock";
  setup.client_nodes = 2;
  setup.clients_per_node = 3;
  setup.operations = 4;
  setup.shared_percent = shared;
  setup.params = std::move(params);
  return setup;
}

// No reset.
RunSetup quiet_case(std::uint32_t shared = 50, ParamValues params = {}) {
  params.emplace_back("version_bits", number(16));
  return declock_case(shared, std::move(params));
}

TEST(declock, excludes_by_mode_and_all_clients_finish) {
  for (const char* transfer : {"timestamp", "remote_prefer", "local_prefer", "local_bound"})
    for (const char* fairness : {"task_fair", "phase_fair"})
      for (const std::uint32_t shared : {0, 50, 80}) {
        const ParamValues params = {
            {"transfer", text(transfer)}, {"fairness", text(fairness)}, {"local_bound", number(2)}};
        expect_sound(quiet_case(shared, params), 40);
      }
}

TEST(declock, is_sound_when_versions_run_out) {
  for (const char* transfer : {"timestamp", "local_prefer"})
    for (const bool ends : {true, false}) {
      RunSetup setup = declock_case(50, {{"version_bits", number(1)},
                                         {"transfer", text(transfer)},
                                         {"reset_ends_transfers", ends}});
      setup.client_nodes = 3;
      setup.clients_per_node = 2;
      expect_sound(setup, 100);
    }
}

TEST(declock, is_sound_with_every_profile_and_many_resets) {
  for (const char* profile : {"repaired", "paper", "artifact"}) {
    RunSetup setup = declock_case();
    setup.profile = profile;
    setup.params = {{"version_bits", number(1)}, {"clock_sync", Duration{}}};
    // The case that breaks the other profiles is in tests/protocols/cql.
    if (setup.profile != "repaired")
      setup.params.emplace_back("notification_count", text("acquisition"));
    if (setup.profile == "paper") setup.params.emplace_back("header_reset", text("cas"));
    // A datagram may be lost, and that profile has no timeout.
    if (setup.profile == "artifact") setup.params.emplace_back("timeout", milliseconds(50));
    expect_sound(setup, 100);
  }
}

TEST(declock, keeps_locks_apart) {
  RunSetup setup = declock_case();
  setup.locks = 3;
  expect_sound(setup, 150);
}

TEST(declock, admits_readers_of_all_nodes_together) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  EXPECT_GT(first_seed(quiet_case(100), 100, [](const Outcome& o) { return o.most_inside >= 5; }),
            0U);
}

TEST(declock, looks_free_after_all_clients_have_released) {
  expect_free_when_all_have_gone(quiet_case());
}

// ---- costs ----

TEST(declock, takes_three_verbs_and_no_message_for_a_free_pair) {
  for (const std::uint32_t shared : {0, 100}) {
    RunSetup setup = quiet_case(shared);
    setup.client_nodes = setup.clients_per_node = 1;
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.tally.of(VerbKind::faa), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.of(VerbKind::read), outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 3 * outcome.acquired);
    EXPECT_EQ(outcome.tally.sends + outcome.tally.calls, 0U);
  }
}

// On a single node no client waits for other nodes: there is an FAA for each chain, and an FAA and
// a READ at its end. With a policy that considers other nodes, a waiting client READs once before
// it receives the lock or leads.
TEST(declock, takes_no_verb_for_a_handover_within_a_node) {
  for (const char* transfer : {"local_prefer", "timestamp"}) {
    std::uint64_t handed = 0;
    for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
      RunSetup setup = quiet_case(0, {{"transfer", text(transfer)}});
      setup.client_nodes = 1;
      const sherman_tests::Watched seen = sherman_tests::watch(setup, seed);
      const std::uint64_t chains = seen.outcome.acquired - seen.handed;
      EXPECT_EQ(seen.outcome.tally.atomics(), 2 * chains) << "seed " << seed;
      EXPECT_EQ(seen.outcome.tally.sends, 0U) << "seed " << seed;
      const bool looks = transfer == std::string("timestamp");
      EXPECT_GE(seen.outcome.tally.reads(), chains + (looks ? seen.handed : 0)) << "seed " << seed;
      EXPECT_LE(seen.outcome.tally.reads(), chains + (looks ? seen.outcome.acquired : 0));
      handed += seen.handed;
    }
    EXPECT_GT(handed, 0U);
  }
}

TEST(declock, grants_the_lock_to_at_most_local_bound_clients_of_a_node_in_a_row) {
  LATCHLAB_NEEDS_EXPLORER("asks for the longest of many chains");
  for (const std::int64_t most : {1, 2, 4}) {
    std::uint64_t longest = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const RunSetup setup =
          quiet_case(0, {{"transfer", text("local_bound")}, {"local_bound", number(most)}});
      longest = std::max(longest, sherman_tests::watch(setup, seed).longest);
    }
    EXPECT_EQ(longest, static_cast<std::uint64_t>(most - 1));
  }
}

// ---- what the lock declares ----

std::unique_ptr<Protocol> made(const char* profile) {
  const ProtocolEntry& entry = *find_protocol("declock");
  return entry.make(entry.info.resolve(profile));
}

TEST(declock, has_a_place_for_each_client_node) {
  Shape shape;
  shape.client_nodes = 8;
  shape.clients = 256;
  const Layout layout = made("repaired")->layout(shape);
  EXPECT_EQ(layout.entry_bytes, 72U);
  EXPECT_EQ(layout.client_bytes, 8U);
  EXPECT_EQ(layout.server_bytes, 64U);
  EXPECT_EQ(made("artifact")->layout(shape).entry_bytes, 264U);
}

// the authors' code: 14 bits of microseconds, taken for later up to 0.9 of their range.
TEST(declock, has_the_timestamps_of_the_published_code) {
  const ParamSet params = find_protocol("declock")->info.resolve("artifact");
  EXPECT_EQ(params.integer("time_bits"), 14);
  EXPECT_EQ(params.integer("wrap_percent"), 90);
  EXPECT_EQ(params.duration("time_unit"), microseconds(1));
}

TEST(declock, has_the_parameters_of_the_published_code) {
  const ParamSet params = find_protocol("declock")->info.resolve("artifact");
  EXPECT_EQ(params.choice("late_readers"), "known");
  EXPECT_EQ(params.choice("readers_first"), "reacquiring");
  EXPECT_EQ(params.choice("bound_counts"), "holders");
  EXPECT_EQ(params.integer("local_bound"), 4);
  EXPECT_EQ(params.choice("prefetch"), "unknown");
  EXPECT_EQ(params.choice("notified"), "next");
  EXPECT_EQ(params.duration("timeout"), Duration{});
  EXPECT_EQ(params.duration("timeout_step"), milliseconds(1));
  EXPECT_EQ(params.choice("notification_count"), "release");
  EXPECT_EQ(params.choice("overflow"), "acquisition");
}

TEST(declock, stops_with_a_crashed_node) {
  EXPECT_EQ(made("repaired")->limits().crash_unit, CrashUnit::node);
}

TEST(declock, counts_the_queue_of_its_node_as_waiting_for_a_predecessor) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = quiet_case(0);
  setup.client_nodes = 1;
  EXPECT_THAT(phases_of(setup), ::testing::Contains("acquire WP"));
  EXPECT_THAT(phases_of(setup), ::testing::Contains("release NS"));
}

// ---- crashes and paths ----

TEST(declock, leaves_waiters_of_other_nodes_to_a_reset_when_a_node_crashes) {
  RunSetup setup = quiet_case();
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.dies = {0, 2};
  const std::uint64_t lost = first_seed(
      setup, 100, [](const Outcome& o) { return !o.safe() || o.end != RunEnd::finished; });
  EXPECT_EQ(lost, 0U);
}

TEST(declock, takes_ordinary_paths_under_contention) {
  expect_paths(
      quiet_case(),
      {"a client leads its node", "a client waits for its neighbours",
       "a neighbour hands the lock over", "a reader enters beside readers of its node",
       "a reader leaves other readers of its node holding", "the next of the node leads",
       "a client sees that other nodes wait", "what was prefetched is out of date",
       "a late reader looks for other nodes", "a late reader sees that other nodes wait"},
      {"a leader is refused", "clocks are synchronised", "clocks are synchronised without the dead",
       "a reset ends hand-overs within a node"});
}

TEST(declock, admits_several_readers_of_a_node) {
  const char* const several = "several readers of a node enter together";
  expect_reached(quiet_case(80), {several});
  EXPECT_THAT(reached(quiet_case(0)), ::testing::Not(::testing::Contains(several)));
}

TEST(declock, takes_paths_of_resets_when_versions_run_out) {
  RunSetup setup = declock_case(50, {{"version_bits", number(1)}});
  setup.client_nodes = 3;
  setup.clients_per_node = 3;
  expect_reached(setup, {"a leader is refused", "a reset ends hand-overs within a node"});
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, declock_is_sound) {
  expect_sound_run(timed("declock", "repaired"));
}
TEST(timed, declock_is_sound_as_printed) {
  expect_sound_run(timed("declock", "paper"));
}
TEST(timed, declock_is_sound_as_in_the_authors_code) {
  expect_sound_run(timed("declock", "artifact"));
}
// Every waiting client resets the lock again and again.
TEST(timed, declock_is_sound_when_every_waiting_client_resets_the_lock) {
  RunSetup setup = timed("declock", "repaired");
  setup.params = {{"timeout", microseconds(4)}};
  expect_sound_run(setup);
}
#endif

}  // namespace
}  // namespace latchlab::declock_tests
