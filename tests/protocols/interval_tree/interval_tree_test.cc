// The interval tree. Tests of its queue of ranges are in tests/protocols/range_server.

#include "core/protocols/interval_tree/tree.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/range_server/ranges.h"

namespace latchlab::interval_tree {
namespace {

using range_server::client;
using range_server::some_span;
using Asker = range_server::Asker;
using Span = range_server::Span;

std::vector<Asker> found_in(IntervalTree& tree, const Span& span) {
  std::vector<Asker> found;
  for (const IntervalTree::Sharing* sharing : tree.meeting(span))
    found.insert(found.end(), sharing->begin(), sharing->end());
  return found;
}

TEST(interval_tree, finds_the_same_as_a_plain_list) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    IntervalTree tree;
    std::map<Asker, Span> there;
    for (std::uint32_t round = 1; round <= 500; ++round) {
      if (rng.below(100) < 45 && !there.empty()) {
        auto any = there.begin();
        std::advance(any, static_cast<std::ptrdiff_t>(rng.below(there.size())));
        ASSERT_TRUE(tree.erase(any->second, any->first));
        ASSERT_FALSE(tree.erase(any->second, any->first)) << "it is gone";
        there.erase(any);
      } else {  // few units, so that ranges are often the same
        const Span span = some_span(rng, 60, seed % 3 == 0 ? 40 : 4);
        tree.insert(span, client(round));
        there[client(round)] = span;
      }
      ASSERT_TRUE(tree.sound()) << "seed " << seed << ", round " << round;
      const Span wanted = some_span(rng, 70, 8);
      std::vector<Asker> expected;
      for (const auto& [who, span] : there)
        if (range_server::share_a_unit(span, wanted)) expected.push_back(who);
      ASSERT_THAT(found_in(tree, wanted), ::testing::UnorderedElementsAreArray(expected))
          << "seed " << seed << ", round " << round;
    }
  }
}

TEST(interval_tree, is_at_most_half_as_deep_again_as_a_balanced_tree) {
  for (const std::uint64_t stride : {1U, 389U}) {
    IntervalTree tree;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t at = i * stride % 1000 * 10;
      tree.insert({at, at + 9}, client(static_cast<std::uint32_t>(i)));
    }
    EXPECT_TRUE(tree.sound());
    EXPECT_LE(tree.height(), 14U);
    tree.take_steps();
    EXPECT_EQ(found_in(tree, {5005, 5005}).size(), 1U);
    EXPECT_LE(tree.take_steps(), 3 * tree.height());
    tree.insert({2, 3}, client(5000));
    EXPECT_LE(tree.take_steps(), tree.height() + 1);
  }
}

TEST(interval_tree, takes_a_step_for_each_node_on_the_path) {
  IntervalTree tree;
  tree.insert({10, 19}, client(0));
  EXPECT_EQ(tree.take_steps(), 1U);
  tree.insert({0, 9}, client(1));
  EXPECT_EQ(tree.take_steps(), 2U);
  tree.insert({20, 29}, client(2));
  EXPECT_EQ(tree.take_steps(), 2U);
  tree.insert({20, 29}, client(3));
  EXPECT_EQ(tree.take_steps(), 2U) << "a node for both";
  EXPECT_EQ(found_in(tree, {30, 40}).size(), 0U);
  EXPECT_EQ(tree.take_steps(), 1U) << "nothing reaches so far";
  EXPECT_EQ(found_in(tree, {25, 25}).size(), 2U);
  EXPECT_EQ(tree.take_steps(), 3U);
  EXPECT_TRUE(tree.erase({0, 9}, client(1)));
  EXPECT_EQ(tree.take_steps(), 2U);
}

TEST(interval_tree, finds_clients_with_the_same_range_in_order_of_arrival) {
  IntervalTree tree;
  for (const std::uint32_t each : {3U, 1U, 2U}) tree.insert({5, 6}, client(each));
  EXPECT_EQ(found_in(tree, {6, 6}), (std::vector<Asker>{client(3), client(1), client(2)}));
  EXPECT_TRUE(tree.erase({5, 6}, client(1)));
  EXPECT_FALSE(tree.erase({5, 6}, client(1)));
  EXPECT_FALSE(tree.erase({5, 7}, client(2)));
  EXPECT_EQ(found_in(tree, {0, 5}), (std::vector<Asker>{client(3), client(2)}));
}

TEST(interval_tree, has_several_clients_with_the_same_range_ahead_under_contention) {
  testing::expect_reached(testing::crowd("interval_tree"), {"several with one range are ahead"});
}

// A client that stops waiting unblocks the clients behind it, while other clients hold ranges.
TEST(interval_tree, grants_blocked_clients_when_a_waiting_client_withdraws) {
  testing::RunSetup setup = testing::crowd("interval_tree");
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    constexpr Extent kWanted[] = {{0, 1}, {0, 2}, {1, 1}};
    section.wants.push_back(
        Want{world.lock(LockId{0}), LockMode::exclusive, kWanted[client.value], GrantId{}});
    if (client.value == 1) section.options.deadline = world.verbs(client).now();
    section.work.hold = nanoseconds(20);
    return count < 3;
  };
  testing::expect_reached(setup, {"a client that stops waiting unblocks other clients"});
}

}  // namespace
}  // namespace latchlab::interval_tree
