// Clients that differ only by number begin in order; that changes no verdict.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "tests/explore/fixture.h"
#include "tests/explore/small_locks.h"
#include "tests/explore/verdicts.h"
#include "tests/non_empty.h"

namespace latchlab::explore {
namespace {

constexpr std::uint64_t kMostStates = 60'000;

// Without the numbers of clients.
std::set<std::string> nameless(const std::set<std::string>& entries) {
  std::set<std::string> all;
  for (std::string entry : entries) {
    std::replace_if(
        entry.begin(), entry.end(), [](unsigned char c) { return std::isdigit(c); }, '#');
    all.insert(entry);
  }
  return all;
}

std::map<Violation, std::size_t> moves_to(const SearchResult& result) {
  std::map<Violation, std::size_t> moves;
  for (const Counterexample& each : result.counterexamples)
    moves[each.violation] = each.path.size();
  return moves;
}

// Cases whose search with every client is small enough.
std::size_t compare(const Campaign& campaign) {
  std::size_t compared = 0;
  SearchBounds bounds;
  bounds.states = kMostStates;
  for (const Case& setup : non_empty(cases_of(campaign))) {
    SCOPED_TRACE(setup.protocol + ", " + describe(setup));
    Case every_client = setup;
    every_client.symmetry = false;
    const SearchResult whole = search(every_client, bounds);
    if (!whole.exhausted) continue;
    const SearchResult alike = search(setup, bounds);
    ++compared;
    EXPECT_TRUE(alike.exhausted) << alike.cut;
    EXPECT_EQ(moves_to(alike), moves_to(whole));
    EXPECT_EQ(nameless(alike.terminal), nameless(whole.terminal));
    EXPECT_LE(alike.states, whole.states);
  }
  return compared;
}

class EqualClients : public ::testing::TestWithParam<std::string> {};

TEST_P(EqualClients, in_order_give_the_same_verdict) {
  EXPECT_GT(compare(about(GetParam(), 2, 2)), 0U);
  EXPECT_GT(compare(about(GetParam(), 2, 1)), 0U);
}

TEST_P(EqualClients, in_order_give_the_same_verdict_with_faults) {
  Campaign campaign = about(GetParam(), 2, 1);
  campaign.base.crashes = campaign.base.pauses = campaign.base.delays = 1;
  EXPECT_GT(compare(campaign), 0U);
  campaign.base.crashes = campaign.base.delays = 0;
  campaign.base.pauses = 0;
  campaign.base.cuts = 1;
  EXPECT_GT(compare(campaign), 0U);
}

INSTANTIATE_TEST_SUITE_P(all, EqualClients,
                         ::testing::Values("alock", "cas", "caslock", "dslr", "mcs", "n_cosed",
                                           "rma_rw", "rpc", "sherman", "shiftlock"),
                         [](const auto& made) { return made.param; });

TEST(EqualClients, in_order_give_the_same_verdict_with_time) {
  Campaign campaign = about("dslr", 2, 1);
  campaign.base.time.latencies = {microseconds(1), microseconds(3)};
  campaign.base.time.hold = microseconds(2);
  campaign.base.time.horizon = milliseconds(1);
  EXPECT_GT(compare(campaign), 0U);
}

TEST(EqualClients, give_the_same_verdict_of_a_lock_that_fails) {
  Campaign campaign = about("mcs", 3, 1);
  campaign.base.crashes = 1;
  EXPECT_GT(compare(campaign), 0U);
  EXPECT_GT(compare(with_sets(about("dslr", 2, 2), {"overtaken=before_turn"})), 0U);
}

TEST(EqualClients, cost_up_to_the_number_of_their_orders_less) {
  Case setup = about("mcs", 4, 1).base;
  setup.client_nodes = 4;
  const std::uint64_t alike = search(setup, {}).states;
  setup.symmetry = false;
  EXPECT_GT(search(setup, {}).states, 4 * alike);
}

TEST(EqualClients, are_those_with_equal_operations_on_like_nodes) {
  Case setup = about("shiftlock", 4, 2).base;
  setup.client_nodes = 4;
  setup.modes = {"XS", "XS", "SX", "XX"};
  EXPECT_TRUE(setup.equal(0, 1));
  EXPECT_FALSE(setup.equal(0, 2));
  EXPECT_FALSE(setup.equal(2, 3));
  setup.time.drift_ppm = {0, 100, 0, 0};
  EXPECT_FALSE(setup.equal(0, 1)) << "their clocks differ";
  setup.time.drift_ppm.clear();
  setup.client_nodes = setup.clients_per_node = 2;
  EXPECT_FALSE(setup.equal(0, 1)) << "an exchange would also have to exchange their neighbours";
  setup.client_nodes = 1;
  setup.clients_per_node = 4;
  EXPECT_TRUE(setup.equal(0, 1));
  setup.colocated = true;
  setup.client_nodes = setup.servers = 4;
  setup.clients_per_node = 1;
  EXPECT_FALSE(setup.equal(0, 1)) << "the lock lies on the node of one of them";
}

// The lock must say so: numbers may matter.
TEST(EqualClients, are_told_apart_unless_the_lock_calls_them_alike) {
  register_small_locks();
  const Verdict told_apart = run(about("test_numbered", 2, 1));
  EXPECT_EQ(kinds(told_apart), std::set<Violation>{Violation::mutual_exclusion});
  const Verdict lied = run(with_sets(about("test_numbered", 2, 1), {"alike=true"}));
  EXPECT_TRUE(lied.counterexamples.empty()) << "a false claim hides the fault";
}

}  // namespace
}  // namespace latchlab::explore
