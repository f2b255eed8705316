#include "core/protocols/citron/cover.h"

#include <algorithm>
#include <array>
#include <optional>

namespace latchlab::citron {

namespace {

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Range within(const TreeNode& node, const Range& range) {
  return {std::max(range.begin, node.first()), std::min(range.end, node.first() + node.units())};
}

// Indexed by the number of nodes allowed; none: that many are too few.
using Covers = std::array<std::optional<Cover>, kMostNodes + 1>;

void take(std::optional<Cover>& best, const Cover& cover) {
  if (!best || cover.others < best->others) best = cover;
}

Cover both(const Cover& left, const Cover& right) {
  Cover sum = left;
  sum.others += right.others;
  for (const TreeNode& node : right.nodes) sum.nodes.push_back(node);
  return sum;
}

// A knapsack over the tree. In a node that the range enters from one side, only one child can be
// covered in part. That holds for all nodes below the one in which the two ends part, so the
// recursion follows two paths down the tree.
Covers solve(const TreeNode& node, const Range& range, unsigned most) {
  Covers covers;
  Cover whole;
  whole.nodes.push_back(node);
  const std::uint64_t wanted = range.end - range.begin;
  if (!node.leaf()) whole.others = node.units() - wanted;
  if (whole.others == 0) {
    for (unsigned j = 1; j <= most; ++j) covers[j] = whole;
    return covers;
  }
  covers[0] = std::nullopt;
  bool any = false;
  for (unsigned which = 0; which < 4; ++which) {
    const TreeNode child = node.child(which);
    const Range part = within(child, range);
    if (part.begin >= part.end) continue;
    const Covers of_child = solve(child, part, most);
    if (!any) {
      covers = of_child;
      any = true;
      continue;
    }
    Covers joined;
    for (unsigned left = 1; left < most; ++left)
      for (unsigned right = 1; left + right <= most; ++right)
        if (covers[left] && of_child[right])
          take(joined[left + right], both(*covers[left], *of_child[right]));
    covers = joined;
  }
  for (unsigned j = 1; j <= most; ++j) {
    std::optional<Cover> best = whole;
    if (covers[j]) take(best, *covers[j]);
    if (j > 1 && covers[j - 1] && covers[j - 1]->others <= best->others) best = covers[j - 1];
    covers[j] = best;
  }
  return covers;
}

// The lowest node that contains the whole range.
TreeNode lowest(TreeNode root, const Range& range) {
  const std::uint64_t last = range.end - 1;
  while (!root.leaf()) {
    const unsigned down = 2 * static_cast<unsigned>(root.height - 1) + 6;
    const std::uint64_t child = range.begin >> down;
    if (child != last >> down) break;
    root = {child, root.height - 1};
  }
  return root;
}

}  // namespace

Cover cover_of(const TreeNode& root, std::uint64_t begin, std::uint64_t end, unsigned nodes) {
  const Range range{begin, end};
  return *solve(lowest(root, range), range, nodes)[nodes];
}

std::uint64_t leaf_mask(const TreeNode& leaf, std::uint64_t begin, std::uint64_t end) {
  const Range range = within(leaf, {begin, end});
  const std::uint64_t count = range.end - range.begin;
  const std::uint64_t bits = count == kLeafUnits ? ~0ULL : (1ULL << count) - 1;
  return bits << (range.begin - leaf.first());
}

}  // namespace latchlab::citron
