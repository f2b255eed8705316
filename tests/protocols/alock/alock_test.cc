// The ALock in the explorer and in the simulator.

#include "core/protocols/alock/client.h"
#include "tests/protocols/alock/cohorts.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using alock_tests::cohorts;

const char* const kProfiles[] = {"", "paper", "artifact", "rdma_mcs",
                                 "tla"};  // "": the small model

TEST(alock, admits_one_client_at_a_time_and_all_clients_finish) {
  for (const char* const profile : kProfiles) {
    expect_sound(cohorts(2, 2, profile), 200);  // two of each cohort
    expect_sound(cohorts(3, 1, profile), 100);
    expect_sound(cohorts(1, 4, profile), 100);
    RunSetup apart = crowd("alock", profile);  // no client is local
    expect_sound(apart, 100);
  }
}

TEST(alock, is_sound_with_every_way_to_join_and_to_yield) {
  for (const char* const enqueue : {"cas_loop", "exchange"})
    for (const char* const victim : {"write", "batched", "cas_loop"}) {
      RunSetup setup = cohorts(2, 2);
      setup.params = {{"enqueue", text(enqueue)}, {"victim", text(victim)}};
      expect_sound(setup, 150);
      setup.params.insert(setup.params.end(), {{"next_first", true}, {"whole_lock", true}});
      expect_sound(setup, 50);
    }
}

TEST(alock, keeps_the_queues_of_several_locks_on_several_nodes_apart) {
  RunSetup setup = cohorts(2, 3, "paper");
  setup.locks = 4;
  setup.operations = 6;
  expect_sound(setup, 150);
}

// Client i takes both locks at once: it is local to one of them and remote to the other.
TEST(alock, holds_several_locks_at_once) {
  RunSetup setup = cohorts(2, 2, "paper");
  setup.locks = 2;
  setup.section = [](ClientId, std::uint64_t count, const World& world, Section& section) {
    if (count >= 3) return false;
    for (const std::uint64_t id : {0, 1}) section.wants.push_back(Want{world.lock(LockId{id})});
    return true;
  };
  expect_sound(setup, 150);
}

TEST(alock, has_the_budgets_and_switches_of_its_sources) {
  const ProtocolEntry& entry = *find_protocol("alock");
  ParamSet params = entry.info.resolve("paper");
  EXPECT_EQ(params.integer("remote_budget"), 20);
  EXPECT_EQ(params.integer("local_budget"), 5);
  EXPECT_EQ(params.choice("enqueue"), "cas_loop");
  EXPECT_EQ(params.choice("victim"), "write");
  EXPECT_FALSE(params.boolean("next_first"));
  EXPECT_FALSE(params.boolean("whole_lock"));
  for (const char* const budget : {"remote_budget", "local_budget"})
    EXPECT_EQ(entry.info.find_param(budget)->min, 1) << "who has none may not enter";
  params = entry.info.resolve("artifact");
  EXPECT_EQ(params.integer("remote_budget"), 5);
  EXPECT_EQ(params.integer("local_budget"), 5);
  EXPECT_EQ(params.choice("victim"), "cas_loop");
}

// ---- entries ----

TEST(alock, lays_out_its_entry_as_figure_3_does) {
  const auto protocol = find_protocol("alock")->make(find_protocol("alock")->small_params());
  const Layout layout = protocol->layout({});
  EXPECT_EQ(layout.entry_bytes, 64U);
  EXPECT_EQ(layout.entry_align, 64U);
  EXPECT_EQ(layout.client_bytes, 64U) << "of the one lock that a client of the small model holds";
}

TEST(alock, decodes_tails_of_nodes_beyond_the_sixteenth) {
  const ProtocolEntry& entry = *find_protocol("alock");
  const auto protocol = entry.make(entry.info.resolve("paper"));
  std::vector<std::uint64_t> words(8);
  EXPECT_EQ(protocol->decode(words), "free; victim none");
  words[0] = RemoteAddr{NodeId{60'000}, 4096}.packed();
  words[4] = 2;
  EXPECT_EQ(protocol->decode(words), "tails: remote node 60000+4096, local none; victim remote");
  words[0] = 0;
  words[2] = RemoteAddr{NodeId{1}, 64}.packed();
  words[4] = 1;
  EXPECT_EQ(protocol->decode(words), "tails: remote none, local node 1+64; victim local");
  words[4] = 3;
  EXPECT_THAT(protocol->decode(words), ::testing::EndsWith("victim ?"));
}

TEST(alock, looks_free_when_both_queues_are_empty) {
  expect_free_when_all_have_gone(cohorts(2, 2));
  expect_free_when_all_have_gone(crowd("alock", "artifact"));
  EXPECT_TRUE(is_free("alock", {0, 0, 0, 0, 2, 0, 0, 0})) << "the victim stays";
  EXPECT_FALSE(is_free("alock", {7, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_FALSE(is_free("alock", {0, 0, 7, 0, 1, 0, 0, 0}));
}

TEST(alock, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead("alock");
}

// ---- order ----

// Client i is alone on node 2 + i, so that the node in the remote tail tells which client came
// last.
TEST(fifo, alock_serves_remote_requests_in_the_order_of_their_queue) {
  expect_order_of_arrival("alock", [](const Words& entry, std::uint32_t count) {
    return count == 0 || RemoteAddr::unpack(entry.lo).node.value == count + 1;
  });
}

// ---- paths ----

TEST(alock, takes_ordinary_paths_under_contention) {
  RunSetup setup = cohorts(2, 2);
  setup.operations = 6;
  expect_paths(
      setup,
      {"a CAS finds something else", "a leader competes", "a cohort keeps the lock",
       "a cohort has spent its budget", "a cohort leaves its queue empty",
       "the local leader waits for the remote cohort",
       "the remote leader waits for the local cohort"},
      {"the server fails an acquisition", "the server fails a release",
       "a server has failed before", "a predecessor cannot be told", "a successor cannot be told"});
}

#if LATCHLAB_WITH_SIMGRID

RunSetup timed_cohorts(const char* profile) {
  RunSetup setup = timed("alock", profile);
  setup.servers = setup.client_nodes;
  setup.colocated = true;
  setup.locks = 2;
  return setup;
}

TEST(timed, alock_is_sound) {
  expect_sound_run(timed("alock", "paper"));
}
TEST(timed, alock_is_sound_if_clients_share_nodes_with_the_locks) {
  expect_sound_run(timed_cohorts("paper"));
}
TEST(timed, alock_is_sound_if_clients_share_nodes_with_the_locks_as_in_the_artifact) {
  expect_sound_run(timed_cohorts("artifact"));
}
#endif

}  // namespace
}  // namespace latchlab::testing
