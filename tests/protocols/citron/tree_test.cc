// The arithmetic of the lock tree: its nodes, their addresses, and how often trees that grow have
// marked them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "tests/protocols/citron/trees.h"

namespace latchlab::citron_tests {
namespace {

using namespace citron;

// ---- numbers and places ----

TEST(citron_tree, has_as_many_nodes_as_the_paper_says) {
  const Tree tree(kAt, 11);
  EXPECT_EQ(tree.units(), 1ULL << 28U);
  EXPECT_EQ(nodes_of_height(11), 5'592'405U);
  EXPECT_EQ(8 * nodes_of_height(11), 44'739'240U);
}

// 3.3: CHILD(x, i) = 4x - 2 + i, PARENT(x) = (x + 2) / 4.
TEST(citron_tree, numbers_nodes_as_the_paper_does) {
  const Tree tree(kAt, 4);
  EXPECT_EQ(tree.index(tree.root()), 1U);
  for (const TreeNode& node : all_nodes(tree)) {
    const std::uint64_t x = tree.index(node);
    if (node != tree.root()) {
      EXPECT_EQ(tree.index(node.up(1)), (x + 2) / 4);
    }
    for (unsigned i = 0; i < 4 && !node.leaf(); ++i) {
      EXPECT_EQ(tree.index(node.child(i)), 4 * x - 2 + i);
    }
  }
}

TEST(citron_tree, stands_for_units) {
  const Tree tree(kAt, 2);
  EXPECT_EQ(tree.units(), 1024U);
  for (const TreeNode& node : all_nodes(tree)) {
    if (node.leaf()) continue;
    EXPECT_EQ(node.child(0).first(), node.first());
    EXPECT_EQ(node.child(3).first() + node.child(3).units(), node.first() + node.units());
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_TRUE(node.child(i).is_below(node));
      EXPECT_FALSE(node.is_below(node.child(i)));
    }
  }
  EXPECT_FALSE((TreeNode{4, 0}.is_below({0, 1})));
}

TEST(citron_tree, lies_in_level_order) {
  const Tree tree(kAt, 3);
  for (const TreeNode& node : all_nodes(tree))
    EXPECT_EQ(tree.address(node), kAt + 8 * (tree.index(node) - 1));
  EXPECT_TRUE(tree.has({15, 1}));
  EXPECT_FALSE(tree.has({16, 1}));
  EXPECT_FALSE(tree.has({0, 4}));
}

// Each node has a word of its own, and together they cover exactly the memory that was allocated.
TEST(citron_tree, that_grows_gives_every_new_node_an_address_and_moves_none) {
  for (const std::vector<unsigned>& levels : kGrowths) {
    Tree before(kAt, 2);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::uint64_t height = before.height() + levels[i];
      const std::uint64_t added = before.added_nodes(height);
      Tree after = before;
      const RemoteAddr memory{NodeId{static_cast<std::uint16_t>(2 + i)}, 8192};
      after.apply({height, memory});
      EXPECT_EQ(after.height(), height);
      std::set<std::uint64_t> places;
      for (const TreeNode& node : all_nodes(after)) {
        const RemoteAddr addr = after.address(node);
        if (before.has(node)) {
          EXPECT_EQ(addr, before.address(node));
          continue;
        }
        EXPECT_EQ(addr.node, memory.node);
        EXPECT_TRUE(places.insert(addr.offset).second);
      }
      EXPECT_EQ(places.size(), added);
      EXPECT_EQ(*places.begin(), memory.offset);
      EXPECT_EQ(*places.rbegin(), memory.offset + 8 * (added - 1));
      before = after;
    }
  }
}

TEST(citron_tree, that_is_cut_down_keeps_its_left_part_and_grows_again) {
  Tree tree = grown(Tree(kAt, 1), {2});
  const Tree large = tree;
  tree.apply({2, {}});
  EXPECT_EQ(tree.height(), 2U);
  for (const TreeNode& node : all_nodes(tree)) EXPECT_EQ(tree.address(node), large.address(node));
  EXPECT_EQ(tree.address(large.root()), large.address(large.root()));  // its holder releases it
  const RemoteAddr memory{NodeId{9}, 8};
  EXPECT_EQ(tree.added_nodes(3), nodes_of_height(3) - nodes_of_height(2));
  tree.apply({3, memory});
  std::set<std::uint64_t> places;
  for (const TreeNode& node : all_nodes(tree)) {
    const RemoteAddr addr = tree.address(node);
    if (node.is_below({0, 2})) {
      EXPECT_EQ(addr, large.address(node));
      continue;
    }
    EXPECT_EQ(addr.node, memory.node);
    EXPECT_TRUE(places.insert(addr.offset).second);
  }
  EXPECT_EQ(*places.rbegin(), memory.offset + 8 * (places.size() - 1));
}

// Back to the first tree, whose parts are then one again.
TEST(citron_tree, that_is_cut_down_to_its_first_part_forgets_the_other_parts) {
  Tree tree = grown(Tree(kAt, 2), {1, 1});
  tree.apply({1, {}});
  EXPECT_EQ(tree.height(), 1U);
  EXPECT_EQ(tree.generation(), 3U);
  EXPECT_EQ(tree.address(tree.root()), kAt + 8);
  tree.apply({2, {NodeId{9}, 0}});
  EXPECT_EQ(tree.address(tree.root()), (RemoteAddr{NodeId{9}, 0}));
  EXPECT_EQ(tree.address({3, 0}), kAt + 8 * (5 + 3));
}

// ---- Exp ----

// Algorithm 4, lines 4 and 5, node by node.
TEST(citron_tree, knows_how_often_a_node_has_been_marked) {
  for (const std::vector<unsigned>& levels : kGrowths)
    for (unsigned meet = 1; meet <= kUpTo; ++meet) {
      Tree tree(kAt, 2);
      std::map<Key, std::uint64_t> marks;
      for (const unsigned more : levels) {
        for (const TreeNode& node : tree.top(meet)) ++marks[key(node)];
        tree = grown(tree, {more});
        for (const TreeNode& node : all_nodes(tree))
          if (!node.leaf()) {
            EXPECT_EQ(tree.expansions(node, meet), marks[key(node)]);
          }
      }
    }
}

TEST(citron_tree, knows_how_often_a_node_had_been_marked_before) {
  const Tree tree = grown(Tree(kAt, 2), {1, 1, 1});
  EXPECT_EQ(tree.expansions({0, 2}, 2, 0), 0U);
  EXPECT_EQ(tree.expansions({0, 2}, 2, 1), 1U);
  EXPECT_EQ(tree.expansions({0, 2}, 2, 3), 2U);
  EXPECT_EQ(tree.expansions({0, 3}, 2, 2), 1U);
  EXPECT_EQ(tree.height_in(0), 2U);
  EXPECT_EQ(tree.height_in(2), 4U);
  EXPECT_EQ(tree.height_in(3), 5U);
}

// A node that a later expansion puts in place of a removed one begins without marks.
TEST(citron_tree, forgets_the_marks_of_nodes_that_were_cut_off) {
  Tree tree = grown(Tree(kAt, 1), {1, 1});
  EXPECT_EQ(tree.expansions({0, 2}, 3), 1U);
  tree.apply({1, {}});
  tree = grown(tree, {2});
  EXPECT_EQ(tree.expansions({0, 2}, 3), 0U);
  EXPECT_EQ(tree.expansions({0, 1}, 3), 3U);
}

TEST(citron_tree, is_marked_from_the_root_downwards) {
  const Tree tree(kAt, 2);
  EXPECT_EQ(tree.top(1).size(), 1U);
  EXPECT_EQ(tree.top(2).size(), 5U);
  EXPECT_EQ(tree.top(6).size(), 5U);  // leaves have no Exp
  std::uint64_t last = 0;
  for (const TreeNode& node : tree.top(2)) EXPECT_EQ(tree.index(node), ++last);
}

}  // namespace
}  // namespace latchlab::citron_tests
