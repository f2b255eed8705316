// The CQL lock in the explorer and in the simulator.

#include "core/protocols/cql/format.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::cql_tests {
namespace {

using namespace testing;

// Queues are short and versions few, so that resets are frequent.
RunSetup cql_case() {
  RunSetup setup;
  setup.protocol = "cql";
  setup.client_nodes = 3;
  setup.operations = 4;
  setup.shared_percent = 50;
  return setup;
}

RunSetup quiet_case() {
  RunSetup setup = cql_case();
  setup.profile = "repaired";
  return setup;
}

TEST(cql, excludes_by_mode_and_all_clients_finish) {
  for (const std::uint32_t shared : {0, 20, 50, 80, 100}) {
    RunSetup setup = quiet_case();
    setup.shared_percent = shared;
    expect_sound(setup, 150);
  }
}

TEST(cql, is_sound_when_versions_run_out) {
  for (const std::int64_t bits : {1, 2})
    for (const std::uint32_t shared : {0, 50, 80}) {
      RunSetup setup = cql_case();
      setup.params = {{"version_bits", number(bits)}};
      setup.shared_percent = shared;
      expect_sound(setup, 150);
    }
}

// Six clients use a queue with fewer places.
TEST(cql, is_sound_when_the_queue_is_too_short) {
  for (const std::int64_t capacity : {3, 4, 5})
    for (const std::uint32_t shared : {0, 50}) {
      RunSetup setup = quiet_case();
      setup.params = {{"capacity", number(capacity)}};
      setup.shared_percent = shared;
      expect_sound(setup, 100);
    }
}

TEST(cql, admits_readers_together) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = quiet_case();
  setup.shared_percent = 100;
  EXPECT_GT(first_seed(setup, 100, [](const Outcome& o) { return o.most_inside >= 4; }), 0U);
}

TEST(cql, takes_three_verbs_and_no_message_for_a_free_pair) {
  for (const std::uint32_t shared : {0, 100}) {
    RunSetup setup = quiet_case();
    setup.client_nodes = setup.clients_per_node = 1;
    setup.shared_percent = shared;
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.tally.of(VerbKind::faa), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.of(VerbKind::read), outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 3 * outcome.acquired);
    EXPECT_EQ(outcome.tally.sends + outcome.tally.calls, 0U);
  }
}

TEST(cql, leaves_those_behind_a_crashed_holder_to_a_reset) {
  RunSetup setup = quiet_case();
  setup.dies = {0, 3};
  const std::uint64_t lost = first_seed(
      setup, 100, [](const Outcome& o) { return !o.safe() || o.end != RunEnd::finished; });
  EXPECT_EQ(lost, 0U);
}

// Entries are lost when the later of two owners WRITEs first, and no version shows the loss.
TEST(cql, resets_a_queue_that_is_too_short_before_an_entry_is_lost) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = quiet_case();
  setup.shared_percent = 0;
  setup.params = {{"capacity", number(3)}, {"timeout", Duration{}}, {"overflow", text("version")}};
  const auto stuck = [](const Outcome& o) { return o.end != RunEnd::finished; };
  EXPECT_GT(first_seed(setup, 2'000, stuck), 0U);
  for (const char* shown_by : {"size", "acquisition"}) {
    setup.params.back().second = text(shown_by);
    EXPECT_EQ(first_seed(setup, 2'000, stuck), 0U) << shown_by;
  }
}

// In either mode: readers that hold the lock take up places as well.
TEST(cql, resets_a_queue_without_room_at_an_acquisition_where_that_shows_it) {
  for (const std::uint32_t shared : {0, 100}) {
    RunSetup setup = quiet_case();
    setup.shared_percent = shared;
    setup.params = {{"capacity", number(3)}, {"overflow", text("acquisition")}};
    EXPECT_THAT(reached(setup),
                ::testing::IsSupersetOf({"an acquisition finds no room in the queue"}));
    expect_sound(setup, 100);
  }
}

// Both locks are held in one section, in either mode: no client accepts a message about the other
// lock.
TEST(cql, keeps_messages_of_locks_held_together_apart) {
  RunSetup setup = cql_case();
  setup.clients_per_node = 1;
  setup.locks = 2;
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= 4) return false;
    section.wants.resize(2);
    for (std::uint64_t i = 0; i < 2; ++i) {
      section.wants[i].lock = world.lock(LockId{i});
      const bool reads = hash_of(client.value, count, i) % 2 == 0;
      section.wants[i].mode = reads ? LockMode::shared : LockMode::exclusive;
    }
    return true;
  };
  expect_sound(setup, 200);
}

TEST(cql, has_the_parameters_of_the_published_code) {
  const ParamSet params = find_protocol("cql")->info.resolve("artifact");
  EXPECT_EQ(params.choice("notification_count"), "release");
  EXPECT_EQ(params.choice("overflow"), "acquisition");
  EXPECT_EQ(params.duration("timeout"), Duration{});
  EXPECT_EQ(params.duration("timeout_step"), milliseconds(1));
}

TEST(cql, is_sound_with_every_profile_and_many_resets) {
  for (const char* profile : {"repaired", "paper", "artifact"}) {
    RunSetup setup = cql_case();
    setup.profile = profile;
    setup.params = {{"version_bits", number(1)}, {"capacity", number(6)}};
    // The search that breaks the other profiles is in cql_search.cc.
    if (setup.profile == "paper") {
      setup.params.emplace_back("notification_count", text("acquisition"));
      setup.params.emplace_back("header_reset", text("cas"));
    }
    if (setup.profile == "artifact") setup.params.emplace_back("timeout", milliseconds(1));
    expect_sound(setup, 100);
  }
}

TEST(cql, looks_free_after_all_clients_have_released) {
  expect_free_when_all_have_gone(crowd("cql"));
}

TEST(cql, takes_ordinary_paths_under_contention) {
  RunSetup setup = crowd("cql", "repaired");
  setup.client_nodes = 5;
  expect_paths(setup,
               {"a reader acquires beside other readers", "a release looks for an entry again",
                "a reader leaves other readers holding", "a writer wakes several readers"},
               {"the server fails an acquisition", "a release finds no versions left",
                "a waiter has waited for too long"});
}

TEST(cql, takes_paths_of_resets_when_versions_run_out) {
  RunSetup setup = cql_case();
  setup.params = {{"version_bits", number(1)}, {"capacity", number(3)}};
  expect_reached(
      setup,
      {"a release finds no versions left", "another client resets the lock",
       "an acquisition finds a reset under way", "a waiter hears of a reset",
       "a reset waits for clients of a node", "a client answers a reset when it has left",
       "a release finds a reset under way", "a notification comes after the reset that it lost to",
       "a reset comes before the entry that a release looks for",
       "other clients leave before the entry that a release looks for is there"});
}

// A writer wakes two readers. One of them releases and resets the lock before the other one has
// received its notification.
TEST(cql, discards_expired_notifications) {
  RunSetup setup = cql_case();
  setup.client_nodes = 4;
  setup.clients_per_node = 1;
  setup.operations = 6;
  setup.shared_percent = 60;
  setup.params = {{"version_bits", number(1)}, {"capacity", number(3)}};
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  paths::forget();
  paths::record(true);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) (void)run(setup, seed);
  paths::record(false);
  EXPECT_THAT(labels("cql", true), ::testing::Contains("an expired notification is ignored"));
}

TEST(cql, takes_paths_of_resets_when_the_queue_is_too_short) {
  RunSetup setup = quiet_case();
  setup.params = {{"capacity", number(3)}};
  expect_reached(setup, {"a release finds more clients than the queue has room for"});
  setup.params.emplace_back("overflow", text("version"));
  expect_reached(setup, {"a release finds an entry overwritten"});
}

TEST(cql, asks_again_when_messages_may_be_lost) {
  RunSetup setup = cql_case();
  setup.params = {{"version_bits", number(1)}, {"messages", text("ud")}};
  expect_reached(setup, {"a reset asks again"});
}

TEST(cql, takes_paths_of_resets_when_clients_die) {
  RunSetup setup = cql_case();
  setup.dies = {0, 3};
  expect_reached(setup, {"a waiter has waited for too long", "a reset cuts off the dead"});
  setup.params = {{"evict_dead", false}};
  const Labels without = reached(setup);
  EXPECT_THAT(without, ::testing::Contains("a waiter has waited for too long"));
  EXPECT_THAT(without, ::testing::Not(::testing::Contains("a reset cuts off the dead")));
}

// Writers and readers join one after the other; the header's size field shows each join.
TEST(fifo, cql_serves_writers_in_order_of_arrival_and_before_later_readers) {
  constexpr std::uint32_t kWriters = 3;
  expect_order_of_arrival(
      "cql",
      [](const Words& entry, std::uint32_t count) {
        return count == 0 || cql::Format(5, 16).unpack(entry.lo).size == count;
      },
      kWriters);
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, cql_is_sound) {
  expect_sound_run(timed("cql", "repaired"));
}
TEST(timed, cql_is_sound_as_printed) {
  expect_sound_run(timed("cql", "paper"));
}
TEST(timed, cql_is_sound_as_in_the_authors_code) {
  expect_sound_run(timed("cql", "artifact"));
}
// Every waiting client resets the lock again and again.
TEST(timed, cql_is_sound_when_every_waiting_client_resets_the_lock) {
  RunSetup setup = timed("cql", "repaired");
  setup.params = {{"timeout", microseconds(4)}};
  expect_sound_run(setup);
}
#endif

}  // namespace
}  // namespace latchlab::cql_tests
