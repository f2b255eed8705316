// The B-tree of disjoint ranges.

#include "core/protocols/maple_tree/b_tree.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/range_server/ranges.h"

namespace latchlab::maple_tree {
namespace {

using range_server::Asker;
using range_server::client;
using range_server::Held;
using range_server::held;
using range_server::Span;

void expect_same(const RangeTree& tree, const std::map<Asker, Span>& there) {
  ASSERT_TRUE(tree.sound());
  std::map<Asker, Span> found;
  for (const Held& each : tree.all()) found[each.who] = each.span;
  ASSERT_EQ(found, there);
}

TEST(maple_tree, agrees_with_a_plain_list) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    range_server::expect_holds_what_a_list_does<RangeTree>(seed, 500, seed % 3 == 0 ? 40 : 3,
                                                           expect_same);
}

// The tree grows to several levels in three orders, and shrinks to nothing.
TEST(maple_tree, grows_and_shrinks_evenly) {
  for (const std::uint64_t stride : {1U, 389U, 999U}) {
    RangeTree tree;
    std::map<Asker, Span> there;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const std::uint64_t at = i * stride % 1000 * 10;
      ASSERT_FALSE(tree.try_insert(held(at, at + 9, i))) << at;
      there[client(i)] = {at, at + 9};
      if (i % 50 == 0) expect_same(tree, there);
    }
    EXPECT_GE(tree.depth(), 3U);
    EXPECT_LE(tree.depth(), 4U) << "half full, as ascending ranges leave their nodes";
    tree.take_steps();
    EXPECT_TRUE(tree.try_insert(held(500, 500, 5000)));
    EXPECT_LE(tree.take_steps(), tree.depth() + 2);
    while (!there.empty()) {
      const auto any = there.size() % 2 == 0 ? there.begin() : std::prev(there.end());
      ASSERT_TRUE(tree.erase({any->second, any->first}));
      there.erase(any);
      if (there.size() % 50 < 2) expect_same(tree, there);
    }
    EXPECT_EQ(tree.depth(), 1U);
  }
}

TEST(maple_tree, takes_a_step_for_each_node_on_the_path) {
  RangeTree tree;
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_FALSE(tree.try_insert(held(10 * i, 10 * i + 4, i)));
    EXPECT_EQ(tree.take_steps(), 1U);
  }
  EXPECT_FALSE(tree.try_insert(held(80, 84, 8)));
  EXPECT_EQ(tree.take_steps(), 3U) << "the leaf, another leaf, a root";
  EXPECT_FALSE(tree.try_insert(held(90, 94, 9)));
  EXPECT_EQ(tree.take_steps(), 2U);
  EXPECT_TRUE(tree.erase(held(90, 94, 9)));
  EXPECT_EQ(tree.take_steps(), 2U);
}

// The ranges next to a new one may be in other leaves than its own position.
TEST(maple_tree, meets_neighbours_in_other_leaves) {
  RangeTree tree;
  for (std::uint32_t i = 0; i < 64; ++i) ASSERT_FALSE(tree.try_insert(held(10 * i, 10 * i + 4, i)));
  for (std::uint32_t i = 0; i < 63; ++i) {
    EXPECT_EQ(tree.try_insert(held(10 * i + 4, 10 * i + 9, 100)), client(i));
    EXPECT_EQ(tree.try_insert(held(10 * i + 5, 10 * i + 10, 100)), client(i + 1));
    EXPECT_FALSE(tree.try_insert(held(10 * i + 5, 10 * i + 9, 100)));
    EXPECT_TRUE(tree.erase(held(10 * i + 5, 10 * i + 9, 100)));
  }
  EXPECT_TRUE(tree.sound());
}

TEST(maple_tree, knows_which_client_holds_a_range) {
  RangeTree tree;
  EXPECT_FALSE(tree.erase(held(0, 9, 1)));
  EXPECT_FALSE(tree.try_insert(held(0, 9, 1)));
  EXPECT_FALSE(tree.erase(held(0, 9, 2)));
  EXPECT_TRUE(tree.erase(held(0, 9, 1)));
}

TEST(maple_tree, retries_under_contention) {
  testing::expect_reached(testing::crowd("maple_tree"),
                          {"a range that tries again meets another holder"});
}

}  // namespace
}  // namespace latchlab::maple_tree
