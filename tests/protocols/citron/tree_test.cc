// The lock tree as arithmetic: where nodes lie, who is told and who is looked at, and that these
// meet, also in trees that have grown.

#include "core/protocols/citron/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace latchlab::citron_tests {
namespace {

using namespace citron;
using Nodes = std::vector<Place>;
using Key = std::pair<std::uint64_t, std::uint64_t>;

constexpr RemoteAddr kAt{NodeId{1}, 4096};
constexpr unsigned kUpTo = 6;  // heights, and m

Key key(const Place& node) {
  return {node.height, node.at};
}
// Highest first, as Algorithm 4 has it.
Nodes all_nodes(const Tree& tree) {
  Nodes nodes;
  for (std::uint64_t depth = 0; depth <= tree.height(); ++depth)
    for (std::uint64_t at = 0; at < 1ULL << (2 * depth); ++at)
      nodes.push_back({at, tree.height() - depth});
  return nodes;
}
// A leaf or node of each height, in all corners: left, right, and in between.
Nodes some_nodes(const Tree& tree) {
  Nodes nodes;
  for (std::uint64_t height = 0; height <= tree.height(); ++height) {
    const std::uint64_t last = (1ULL << (2 * (tree.height() - height))) - 1;
    std::set<std::uint64_t> places = {0,
                                      last,
                                      last / 2,
                                      last / 3,
                                      std::min<std::uint64_t>(1, last),
                                      std::min<std::uint64_t>(4, last)};
    for (const std::uint64_t at : places) nodes.push_back({at, height});
  }
  return nodes;
}

Tree grown(Tree tree, const std::vector<unsigned>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i)
    tree.apply({tree.height() + levels[i], {NodeId{static_cast<std::uint16_t>(2 + i)}, 8192}});
  return tree;
}
const std::vector<std::vector<unsigned>> kGrowths = {{1},    {2},    {3},      {1, 1},
                                                     {1, 2}, {2, 1}, {1, 1, 1}};

std::set<Key> looked_at(const Tree& tree, const Place& node, unsigned meet) {
  std::set<Key> seen;
  for (const Block& block : tree.looked_at(node, meet))
    for (std::uint64_t i = 0; i < block.count; ++i)
      EXPECT_TRUE(seen.insert({block.first.height, block.first.at + i}).second);
  return seen;
}
bool sees(const std::set<Key>& seen, const std::set<Key>& told) {
  return std::any_of(told.begin(), told.end(), [&](const Key& each) { return seen.count(each); });
}

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
  for (const Place& node : all_nodes(tree)) {
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
  for (const Place& node : all_nodes(tree)) {
    if (node.leaf()) continue;
    EXPECT_EQ(node.child(0).first(), node.first());
    EXPECT_EQ(node.child(3).first() + node.child(3).units(), node.first() + node.units());
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_TRUE(node.child(i).is_below(node));
      EXPECT_FALSE(node.is_below(node.child(i)));
    }
  }
  EXPECT_FALSE((Place{4, 0}.is_below({0, 1})));
}

TEST(citron_tree, lies_in_level_order) {
  const Tree tree(kAt, 3);
  for (const Place& node : all_nodes(tree))
    EXPECT_EQ(tree.address(node), kAt + 8 * (tree.index(node) - 1));
  EXPECT_TRUE(tree.has({15, 1}));
  EXPECT_FALSE(tree.has({16, 1}));
  EXPECT_FALSE(tree.has({0, 4}));
}

// Each word of its own, all of the memory that was allocated and none beside it.
TEST(citron_tree, that_grows_gives_every_new_node_a_place_and_moves_none) {
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
      for (const Place& node : all_nodes(after)) {
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

TEST(citron_tree, that_is_cut_down_keeps_its_left_and_grows_again) {
  Tree tree = grown(Tree(kAt, 1), {2});
  const Tree large = tree;
  tree.apply({2, {}});
  EXPECT_EQ(tree.height(), 2U);
  for (const Place& node : all_nodes(tree)) EXPECT_EQ(tree.address(node), large.address(node));
  const RemoteAddr memory{NodeId{9}, 8};
  EXPECT_EQ(tree.added_nodes(3), nodes_of_height(3) - nodes_of_height(2));
  tree.apply({3, memory});
  std::set<std::uint64_t> places;
  for (const Place& node : all_nodes(tree)) {
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

// Back to the first tree, whose parts then are one again.
TEST(citron_tree, that_is_cut_down_to_its_first_part_forgets_the_others) {
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
        for (const Place& node : tree.top(meet)) ++marks[key(node)];
        tree = grown(tree, {more});
        for (const Place& node : all_nodes(tree))
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

// What a later expansion puts where a cut has taken nodes away begins with no marks.
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
  for (const Place& node : tree.top(2)) EXPECT_EQ(tree.index(node), ++last);
}

// ---- meeting half-way ----

TEST(citron_tree, has_a_node_that_the_lower_tells_and_the_upper_looks_at) {
  for (unsigned height = 1; height <= kUpTo; ++height)
    for (unsigned look = 1; look <= kUpTo; ++look)
      for (unsigned tell = 1; tell <= look; ++tell) {  // less while m is changed
        const Tree tree(kAt, height);
        for (const Place& node : some_nodes(tree)) {
          std::set<Key> told;
          for (const Place& each : tree.told(node, tell)) {
            EXPECT_TRUE(told.insert(key(each)).second) << "told twice";
            EXPECT_TRUE(node.is_below(each) && node != each);
          }
          for (std::uint64_t up = 1; node.height + up <= height; ++up)
            EXPECT_TRUE(sees(looked_at(tree, node.up(up), look), told))
                << height << " " << look << " " << tell << ": " << node.height << "+" << up;
        }
      }
}

// 3.5.5: of the top m - 1 levels the parent alone.
TEST(citron_tree, spares_its_top_levels) {
  for (unsigned height = 1; height <= kUpTo; ++height)
    for (unsigned meet = 1; meet <= kUpTo; ++meet) {
      const Tree tree(kAt, height);
      for (const Place& node : some_nodes(tree)) {
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

TEST(citron_tree, tells_three_nodes_of_a_leaf_of_the_paper) {
  const Tree tree(kAt, 11);
  const auto told = tree.told({0, 0}, 4);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].height, 1U);
  EXPECT_EQ(told[1].height, 5U);
  EXPECT_EQ(told[2].height, 8U);  // and not 9, which is in the top three levels
}

// 3.5.5, and 3.9.1 for a tree in parts.
TEST(citron_tree, is_looked_at_with_a_READ_for_each_level) {
  for (unsigned meet = 1; meet <= kUpTo; ++meet) {
    const Tree tree(kAt, kUpTo);
    for (const Place& node : some_nodes(tree)) {
      const std::size_t levels = std::min<std::size_t>(meet, node.height);
      EXPECT_EQ(tree.looked_at(node, meet).size(), levels);
      EXPECT_EQ(looked_at(tree, node, meet).size(), nodes_of_levels(levels));
    }
  }
}
TEST(citron_tree, that_has_grown_is_looked_at_with_few_READs) {
  std::size_t most = 0;
  for (const std::vector<unsigned>& levels : kGrowths)
    for (unsigned meet = 1; meet <= kUpTo; ++meet) {
      const Tree tree = grown(Tree(kAt, 2), levels);
      for (const Place& node : all_nodes(tree)) {
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
TEST(citron_tree, that_grows_level_by_level_reaches_the_bound_of_the_paper) {
  const Tree tree = grown(Tree(kAt, 2), {1, 1, 1, 1, 1});
  EXPECT_EQ(tree.looked_at(tree.root(), 4).size(), 4U * 5 / 2);
}

// A request that was at its node before the tree grew, once or several times: whom it told, whom
// the expansion has told for them, and for an old root that was occupied.
TEST(citron_tree, that_grows_has_told_its_new_nodes) {
  for (const std::vector<unsigned>& levels : kGrowths)
    for (unsigned meet = 1; meet <= kUpTo; ++meet)
      for (unsigned height = 1; height <= 3; ++height) {
        const Tree first(kAt, height);
        for (const Place& node : some_nodes(first)) {
          std::set<Key> told;
          Nodes nodes;
          for (const Place& each : first.told(node, meet)) nodes.push_back(each);
          Tree tree = first;
          for (const unsigned more : levels) {
            const Tree old = tree;
            tree = grown(tree, {more});
            const Nodes marked = old.top(meet);
            Nodes added;
            for (const Place& each : nodes) {
              if (std::find(marked.begin(), marked.end(), each) == marked.end()) continue;
              for (const Place& by : tree.told_by_expansion(each, meet, tree.generation()))
                added.push_back(by);
            }
            if (node == old.root() && !node.leaf())
              for (const Place& by : tree.told_for_root(node, meet, tree.generation()))
                added.push_back(by);
            nodes.insert(nodes.end(), added.begin(), added.end());
          }
          for (const Place& each : nodes)
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
