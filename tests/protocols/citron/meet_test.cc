// Meeting half-way: the nodes that the lower of two requests notifies and the nodes that the upper
// one reads have one in common, also in trees that have grown.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/protocols/citron/trees.h"

namespace latchlab::citron_tests {
namespace {

using namespace citron;

std::set<Key> looked_at(const Tree& tree, const TreeNode& node, unsigned meet) {
  std::set<Key> seen;
  for (const Block& block : tree.looked_at(node, meet))
    for (std::uint64_t i = 0; i < block.count; ++i)
      EXPECT_TRUE(seen.insert({block.first.height, block.first.at + i}).second);
  return seen;
}
bool sees(const std::set<Key>& seen, const std::set<Key>& told) {
  return std::any_of(told.begin(), told.end(), [&](const Key& each) { return seen.count(each); });
}

TEST(citron_meet, has_a_node_that_the_lower_client_notifies_and_the_upper_one_reads) {
  for (unsigned height = 1; height <= kUpTo; ++height)
    for (unsigned look = 1; look <= kUpTo; ++look)
      for (unsigned tell = 1; tell <= look; ++tell) {  // less while m is changed
        const Tree tree(kAt, height);
        for (const TreeNode& node : some_nodes(tree)) {
          std::set<Key> told;
          for (const TreeNode& each : tree.told(node, tell)) {
            EXPECT_TRUE(told.insert(key(each)).second) << "told twice";
            EXPECT_TRUE(node.is_below(each) && node != each);
          }
          for (std::uint64_t up = 1; node.height + up <= height; ++up)
            EXPECT_TRUE(sees(looked_at(tree, node.up(up), look), told))
                << height << " " << look << " " << tell << ": " << node.height << "+" << up;
        }
      }
}

// 3.5.5: for the top m - 1 levels only the parent is notified.
TEST(citron_meet, notifies_one_node_for_its_top_levels) {
  for (unsigned height = 1; height <= kUpTo; ++height)
    for (unsigned meet = 1; meet <= kUpTo; ++meet) {
      const Tree tree(kAt, height);
      for (const TreeNode& node : some_nodes(tree)) {
        const auto told = tree.told(node, meet);
        EXPECT_EQ(told.empty(), node == tree.root());
        if (told.empty()) continue;
        EXPECT_EQ(told[0], node.up(1));
        for (std::size_t i = 1; i < told.size(); ++i) {
          EXPECT_GE(tree.depth(told[i]), meet - 1);
          EXPECT_LE(told[i].height - told[i - 1].height, meet);
        }
      }
    }
}

TEST(citron_meet, notifies_three_nodes_for_a_leaf_of_the_paper_s_tree) {
  const Tree tree(kAt, 11);
  const auto told = tree.told({0, 0}, 4);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].height, 1U);
  EXPECT_EQ(told[1].height, 5U);
  EXPECT_EQ(told[2].height, 8U);  // and not 9, which is in the top three levels
}

// 3.5.5, and 3.9.1 for a tree in parts.
TEST(citron_meet, reads_ancestors_with_one_READ_per_level) {
  for (unsigned meet = 1; meet <= kUpTo; ++meet) {
    const Tree tree(kAt, kUpTo);
    for (const TreeNode& node : some_nodes(tree)) {
      const std::size_t levels = std::min<std::size_t>(meet, node.height);
      EXPECT_EQ(tree.looked_at(node, meet).size(), levels);
      EXPECT_EQ(looked_at(tree, node, meet).size(), nodes_of_levels(levels));
    }
  }
}
TEST(citron_meet, that_has_grown_is_read_with_few_READs) {
  std::size_t most = 0;
  for (const std::vector<unsigned>& levels : kGrowths)
    for (unsigned meet = 1; meet <= kUpTo; ++meet) {
      const Tree tree = grown(Tree(kAt, 2), levels);
      for (const TreeNode& node : all_nodes(tree)) {
        const std::vector<Block> blocks = tree.looked_at(node, meet);
        EXPECT_LE(blocks.size(), meet * (meet + 1) / 2);
        if (meet == 4) most = std::max(most, blocks.size());
        const std::size_t levels_below = std::min<std::size_t>(meet, node.height);
        EXPECT_EQ(looked_at(tree, node, meet).size(), nodes_of_levels(levels_below));
        for (const Block& block : blocks)
          for (std::uint64_t i = 0; i < block.count; ++i)
            EXPECT_EQ(tree.address({block.first.at + i, block.first.height}), block.addr + 8 * i);
      }
    }
  EXPECT_GT(most, 4U);
}
TEST(citron_meet, that_grows_level_by_level_reaches_the_bound_of_the_paper) {
  const Tree tree = grown(Tree(kAt, 2), {1, 1, 1, 1, 1});
  EXPECT_EQ(tree.looked_at(tree.root(), 4).size(), 4U * 5 / 2);
}

// A request that was at its node before the tree grew once or several times: the nodes that it
// notified, and those that the expansion notified for it and for an old root that was occupied.
TEST(citron_meet, that_grows_has_notified_its_new_nodes) {
  for (const std::vector<unsigned>& levels : kGrowths)
    for (unsigned meet = 1; meet <= kUpTo; ++meet)
      for (unsigned height = 1; height <= 3; ++height) {
        const Tree first(kAt, height);
        for (const TreeNode& node : some_nodes(first)) {
          std::set<Key> told;
          Nodes nodes;
          for (const TreeNode& each : first.told(node, meet)) nodes.push_back(each);
          Tree tree = first;
          for (const unsigned more : levels) {
            const Tree old = tree;
            tree = grown(tree, {more});
            const Nodes marked = old.top(meet);
            Nodes added;
            for (const TreeNode& each : nodes) {
              if (std::find(marked.begin(), marked.end(), each) == marked.end()) continue;
              for (const TreeNode& by : tree.told_by_expansion(each, meet, tree.generation()))
                added.push_back(by);
            }
            if (node == old.root() && !node.leaf())
              for (const TreeNode& by : tree.told_for_root(node, meet, tree.generation()))
                added.push_back(by);
            nodes.insert(nodes.end(), added.begin(), added.end());
          }
          for (const TreeNode& each : nodes)
            EXPECT_TRUE(told.insert(key(each)).second) << "told twice";
          for (std::uint64_t h = node.height + 1; h <= tree.height(); ++h)
            EXPECT_TRUE(sees(looked_at(tree, node.up(h - node.height), meet), told))
                << "m=" << meet << ", a tree of " << height << " grown to " << tree.height()
                << ": a request at height " << node.height << " is not seen from " << h;
        }
      }
}

}  // namespace
}  // namespace latchlab::citron_tests
