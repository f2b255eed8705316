// Where servers and clients are, and what crashes: cases with several servers, clients on servers,
// and nodes that crash with all their clients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/explorer/state.h"
#include "tests/explore/fixture.h"
#include "tests/explore/small_locks.h"
#include "tests/explore/verdicts.h"
#include "tests/non_empty.h"
#include "tools/explore/choosers.h"

namespace latchlab::explore {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

class Places : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_small_locks(); }
};

Campaign colocated(Campaign campaign) {
  campaign.base.colocated = true;
  return campaign;
}
Campaign on_nodes(Campaign campaign, std::uint32_t nodes) {
  campaign.nodes = nodes;
  return campaign;
}
Campaign with_node_crash(Campaign campaign) {
  campaign.base.crashes = 1;
  campaign.base.crash_unit = CrashUnit::node;
  return campaign;
}

// ---- clients on servers ----

TEST_F(Places, of_a_cpu_and_an_rnic_break_an_atomic_that_mixes_them) {
  Campaign campaign = colocated(about("test_two_ways", 2, 1));
  campaign.placement = Placement::spread;
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_EQ(kinds(verdict).count(Violation::mutual_exclusion), 1U);
  expect_replayable(verdict, "2 clients on 2 nodes, which are servers too");
}

TEST_F(Places, of_rnics_alone_or_cpus_alone_are_sound) {
  Campaign apart = about("test_two_ways", 2, 1);
  expect_sound(run(apart));
  Campaign at_home = colocated(about("test_two_ways", 2, 1));
  at_home.placement = Placement::together;
  expect_sound(run(at_home));
  expect_sound(run(colocated(about("cas", 2, 1))));
}

TEST_F(Places, locks_are_spread_over_all_servers) {
  Campaign campaign = about("cas", 2, 2);
  campaign.base.locks = 2;
  campaign.base.servers = 2;
  const Verdict verdict = run(campaign);
  expect_sound(verdict);
  Case setup = cases_of(campaign).front();
  EXPECT_THAT(describe(setup), HasSubstr("2 servers"));
  campaign.base.colocated = true;
  expect_sound(run(campaign));
}

TEST_F(Places, that_differ_are_filled_in_every_order) {
  Campaign campaign = about("dslr", 2, 1);
  campaign.placement = Placement::spread;
  EXPECT_EQ(cases_of(campaign).size(), 3U);  // XX XS SS
  // And SX: one client is on the lock's server.
  EXPECT_EQ(cases_of(colocated(campaign)).size(), 4U);
  EXPECT_THAT(cases_of(colocated(campaign)),
              ::testing::Each(AllOf(Field(&Case::servers, 2U), Field(&Case::client_nodes, 2U))));
  EXPECT_EQ(cases_of(on_nodes(about("dslr", 4, 1), 2)).size(), 16U);
}

TEST_F(Places, that_are_impossible_are_refused) {
  Case setup;
  setup.protocol = "cas";
  setup.colocated = true;
  EXPECT_THAT(check_case(setup).error().message, HasSubstr("2 client nodes that are servers too"));
  setup.servers = 17;
  EXPECT_THAT(check_case(setup).error().message, HasSubstr("expected 1 to 16"));
  setup.servers = 2;
  setup.clients_per_node = 2;
  setup.crashes = 3;
  EXPECT_TRUE(check_case(setup).ok());
  setup.crash_unit = CrashUnit::node;
  EXPECT_THAT(check_case(setup).error().message, HasSubstr("3 crashes of 2 client nodes"));
  EXPECT_THAT(check_campaign(on_nodes(about("cas", 3, 1), 2)).error().message,
              HasSubstr("3 clients cannot be spread evenly over 2 nodes"));
}

// ---- what crashes ----

// Makes the first choice of this kind, which must exist.
void make_first(SearchModel& model, Choice::Kind kind) {
  for (const Choice& choice : model.choices()) {
    if (choice.kind != kind) continue;
    Odometer inner;
    inner.restart();
    return model.make(choice, inner);
  }
  FAIL() << "no choice of this kind";
}

TEST_F(Places, client_that_crashes_while_it_is_paused_is_detected) {
  Case setup;
  setup.protocol = "cas";
  setup.crashes = setup.pauses = 1;
  const auto protocol = make_protocol(setup);
  explorer::SearchSupport support;
  SearchModel model(setup, *protocol, support);
  ASSERT_NO_FATAL_FAILURE(make_first(model, Choice::Kind::pause));
  ASSERT_NO_FATAL_FAILURE(make_first(model, Choice::Kind::crash));
  explorer::State& state = model.backend().state();
  EXPECT_FALSE(state.find_client(ClientId{0})->alive);
  EXPECT_TRUE(state.undetected.empty());
  EXPECT_FALSE(state.alive[0]);  // as membership shows it
}

TEST_F(Places, node_crashes_with_its_clients_and_its_node_part) {
  Campaign campaign = with_node_crash(on_nodes(about("sherman", 4, 1), 2));
  campaign.budget = 60'000;
  // This lock does not recover: other clients wait for what the dead node holds. No other client
  // acquires it meanwhile.
  const Verdict verdict = run(campaign);
  EXPECT_EQ(kinds(verdict).count(Violation::deadlock), 1U);
  EXPECT_EQ(kinds(verdict).count(Violation::mutual_exclusion), 0U);
  expect_replayable(verdict, ": DIES, with its node and all clients there");
}

TEST_F(Places, queue_of_a_node_outlives_a_client_but_not_its_queue_position) {
  Campaign campaign = with_crash(about("sherman", 2, 1));
  campaign.placement = Placement::together;
  const Verdict client = run(campaign);
  EXPECT_EQ(kinds(client).count(Violation::deadlock),
            1U);  // the client behind it on the node waits
  const Verdict node = run(with_node_crash(campaign));
  expect_sound(node);  // no client is left to wait
}

TEST_F(Places, survivors_of_a_node_continue_if_the_lock_recovers) {
  expect_sound(run(with_node_crash(about("dslr", 2, 1))));
  Campaign two_each = on_nodes(about("dslr", 4, 1), 2);
  two_each.readers = 2;
  expect_sound(run(with_node_crash(two_each)));
}

TEST_F(Places, client_that_wants_a_lock_of_a_dead_server_is_not_stuck) {
  Campaign campaign = colocated(with_node_crash(about("test_wide", 2, 1)));
  campaign.placement = Placement::spread;
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  // The lock lies on node 1. If node 2 crashes while it holds the lock, node 1 waits. If node 1
  // crashes, no client can ever acquire the lock, which is not a violation.
  for (const Trace& trace : non_empty(verdict.counterexamples)) {
    EXPECT_EQ(trace.counterexample.violation, Violation::deadlock);
    EXPECT_THAT(replay(trace).text, HasSubstr("client 1: DIES, with its node"));
  }
}

TEST_F(Places, process_crashes_with_its_endpoints) {
  Campaign campaign = with_crash(about("mcs", 2, 1));
  campaign.base.crash_unit = CrashUnit::process;
  const Verdict verdict = run(campaign);
  EXPECT_EQ(kinds(verdict).count(Violation::deadlock), 1U);
  expect_replayable(verdict, ": DIES, with its process");
}

// ---- wide probes and late replies ----

TEST_F(Places, wide_probes_end_alike_with_and_without_merged_steps) {
  Campaign campaign = about("test_wide", 2, 1);
  const Verdict verdict = run(campaign);
  expect_sound(verdict);
  campaign.placement = Placement::together;
  for (const Case& setup : non_empty(cases_of(campaign))) {
    Case every_step = setup;
    every_step.reduce = false;
    const SearchResult merged = search(setup, {});
    SearchBounds bounds;
    bounds.states = 100'000;
    const SearchResult whole = search(every_step, bounds);
    EXPECT_THAT(merged.terminal, ::testing::IsSupersetOf(whole.terminal));
    EXPECT_TRUE(whole.counterexamples.empty());
  }
}

// The server must not grant the lock to a client that has given up meanwhile.
TEST_F(Places, late_replies_grant_no_lock) {
  expect_sound(run(about("test_served", 2, 1)));
  Campaign paused = about("test_served", 2, 1);
  paused.placement = Placement::spread;
  paused.base.pauses = 1;
  paused.base.timeouts = 1;
  paused.budget = 100'000;
  EXPECT_THAT(kinds(run(paused)), ::testing::IsEmpty());
  const std::set<Violation> forgetful = kinds(run(with_sets(paused, {"forgives=false"})));
  EXPECT_TRUE(forgetful.count(Violation::deadlock) + forgetful.count(Violation::no_progress) > 0)
      << "the server gave the lock to a request that the client had given up";
}

}  // namespace
}  // namespace latchlab::explore
