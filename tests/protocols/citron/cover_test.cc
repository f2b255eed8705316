// The nodes that cover a range, compared with all possible covers.

#include "core/protocols/citron/cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/base/random.h"

namespace latchlab::citron_tests {
namespace {

using namespace citron;

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::uint64_t others_at(const TreeNode& node, const Range& range) {
  if (node.leaf()) return 0;
  const std::uint64_t begin = std::max(range.begin, node.first());
  const std::uint64_t end = std::min(range.end, node.first() + node.units());
  return node.units() - (end - begin);
}

// The best of all covers of the rest of a range with at most so many nodes.
struct Best {
  bool any = false;
  std::uint64_t others = 0;
  std::size_t nodes = 0;
};

void try_all(const TreeNode& root, const Range& range, std::uint64_t covered, std::uint64_t others,
             std::size_t nodes, std::size_t most, Best& best) {
  if (covered >= range.end) {
    const bool better = others < best.others || (others == best.others && nodes < best.nodes);
    if (!best.any || better) best = {true, others, nodes};
    return;
  }
  if (nodes == most) return;
  const std::uint64_t unit = std::max(covered, range.begin);
  for (std::uint64_t height = 0; height <= root.height; ++height) {
    const TreeNode node = TreeNode{unit / kLeafUnits, 0}.up(height);
    if (node.first() < covered && covered > range.begin) return;
    try_all(root, range, node.first() + node.units(), others + others_at(node, range), nodes + 1,
            most, best);
  }
}

// Ends of ranges at the ends of leaves, next to them, and in the middle of leaves.
std::vector<std::uint64_t> ends_of(const TreeNode& root) {
  std::vector<std::uint64_t> ends;
  for (std::uint64_t leaf = 0; leaf < root.units(); leaf += kLeafUnits)
    for (const std::uint64_t unit : {0, 1, 33, 63}) ends.push_back(leaf + unit);
  ends.push_back(root.units());
  return ends;
}

TEST(citron_cover, is_the_best_that_there_is) {
  const TreeNode root{0, 2};
  const std::vector<std::uint64_t> ends = ends_of(root);
  for (const std::uint64_t begin : ends)
    for (const std::uint64_t end : ends) {
      if (begin >= end) continue;
      const Range range{begin, end};
      for (unsigned most = 1; most <= 5; ++most) {
        Best best;
        try_all(root, range, 0, 0, 0, most, best);
        const Cover cover = cover_of(root, begin, end, most);
        ASSERT_EQ(cover.others, best.others) << begin << "-" << end << ", " << most;
        ASSERT_EQ(cover.nodes.size(), best.nodes) << begin << "-" << end << ", " << most;
        std::uint64_t others = 0;
        std::uint64_t covered = cover.nodes[0].first();
        ASSERT_LE(covered, begin);
        for (const TreeNode& node : cover.nodes) {  // ascending, and no gap between two
          ASSERT_TRUE(node.is_below(root));
          ASSERT_EQ(node.first(), covered);
          covered += node.units();
          others += others_at(node, range);
        }
        ASSERT_GE(covered, end);
        ASSERT_EQ(others, cover.others);
      }
    }
}

// 3.5.1: [N/2 - 1, N/2 + 1).
TEST(citron_cover, of_one_node_is_the_root_for_a_range_in_the_middle) {
  const TreeNode root{0, 11};
  const std::uint64_t middle = root.units() / 2;
  const Cover one = cover_of(root, middle - 1, middle + 1, 1);
  ASSERT_EQ(one.nodes.size(), 1U);
  EXPECT_EQ(one.nodes[0], root);
  EXPECT_EQ(one.others, root.units() - 2);
  const Cover two = cover_of(root, middle - 1, middle + 1, 2);
  ASSERT_EQ(two.nodes.size(), 2U);
  EXPECT_TRUE(two.nodes[0].leaf() && two.nodes[1].leaf());
  EXPECT_EQ(two.others, 0U);
}

TEST(citron_cover, of_all_units_is_the_root) {
  const TreeNode root{0, 11};
  for (unsigned most = 1; most <= kMostNodes; ++most) {
    const Cover cover = cover_of(root, 0, root.units(), most);
    ASSERT_EQ(cover.nodes.size(), 1U);
    EXPECT_EQ(cover.nodes[0], root);
  }
}

TEST(citron_cover, has_a_bit_for_each_unit_of_a_leaf) {
  EXPECT_EQ(leaf_mask({0, 0}, 0, 64), ~0ULL);
  EXPECT_EQ(leaf_mask({2, 0}, 128, 129), 1ULL);
  EXPECT_EQ(leaf_mask({2, 0}, 130, 133), 0b11100ULL);
  EXPECT_EQ(leaf_mask({1, 0}, 10, 66), 0b11ULL);
  EXPECT_EQ(leaf_mask({1, 0}, 127, 200), 1ULL << 63U);
  EXPECT_EQ(leaf_mask({1, 0}, 0, 1000), ~0ULL);
}

// ---- false conflicts ----

bool conflict(const Cover& one, const Range& range, const Cover& other, const Range& beside) {
  for (const TreeNode& a : one.nodes)
    for (const TreeNode& b : other.nodes) {
      if (a == b && a.leaf()) {
        if ((leaf_mask(a, range.begin, range.end) & leaf_mask(b, beside.begin, beside.end)) != 0)
          return true;
      } else if (a.is_below(b) || b.is_below(a)) {
        return true;
      }
    }
  return false;
}

// How many of so many disjoint pairs of ranges of this length conflict.
std::uint64_t false_conflicts(std::uint64_t length, unsigned nodes) {
  const TreeNode root{0, 5};
  Rng rng(1);
  std::uint64_t found = 0;
  for (int pair = 0; pair < 2'000; ++pair) {
    const std::uint64_t one = rng.below(root.units() - length);
    const std::uint64_t other = rng.below(root.units() - length);
    if (one < other + length && other < one + length) continue;
    const Range range{one, one + length};
    const Range beside{other, other + length};
    found += conflict(cover_of(root, range.begin, range.end, nodes), range,
                      cover_of(root, beside.begin, beside.end, nodes), beside)
                 ? 1
                 : 0;
  }
  return found;
}

// A range of one unit is in one leaf, which has a bit for each unit.
TEST(citron_cover, has_fewer_false_conflicts_the_more_nodes_it_may_have) {
  for (const std::uint64_t length : {1U, 10U, 16U, 64U, 100U, 256U, 1'000U, 4'096U, 10'000U}) {
    std::uint64_t last = false_conflicts(length, 1);
    EXPECT_EQ(last > 0, length > 1) << length;
    std::printf("%d units, false conflicts of 2,000 pairs with 1 to 5 nodes: %d",
                static_cast<int>(length), static_cast<int>(last));
    for (unsigned nodes = 2; nodes <= 5; ++nodes) {
      const std::uint64_t now = false_conflicts(length, nodes);
      EXPECT_LE(now, last) << length << ", " << nodes;
      last = now;
      std::printf(" %d", static_cast<int>(now));
    }
    std::printf("\n");
  }
}

TEST(citron_cover, has_no_false_conflicts_where_leaves_are_enough) {
  EXPECT_EQ(false_conflicts(60, 2), 0U);  // a leaf, or two that are neighbours
  const TreeNode root{0, 2};
  for (std::uint64_t i = 0; i < 63; ++i) {
    const Range one{i, i + 1};
    const Range other{i + 1, 64};
    EXPECT_FALSE(conflict(cover_of(root, one.begin, one.end, 1), one,
                          cover_of(root, other.begin, other.end, 1), other));
  }
}

}  // namespace
}  // namespace latchlab::citron_tests
