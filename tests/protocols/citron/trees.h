#pragma once
// Lock trees for tests of their arithmetic.

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/protocols/citron/tree.h"

namespace latchlab::citron_tests {

using citron::Tree;
using citron::TreeNode;
using Nodes = std::vector<TreeNode>;
using Key = std::pair<std::uint64_t, std::uint64_t>;

inline constexpr RemoteAddr kAt{NodeId{1}, 4096};
inline constexpr unsigned kUpTo = 6;  // heights, and m

inline Key key(const TreeNode& node) {
  return {node.height, node.at};
}
// Highest first, as Algorithm 4 has it.
inline Nodes all_nodes(const Tree& tree) {
  Nodes nodes;
  for (std::uint64_t depth = 0; depth <= tree.height(); ++depth)
    for (std::uint64_t at = 0; at < 1ULL << (2 * depth); ++at)
      nodes.push_back({at, tree.height() - depth});
  return nodes;
}
// A leaf or node of each height, in all corners: left, right, and in between.
inline Nodes some_nodes(const Tree& tree) {
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

inline Tree grown(Tree tree, const std::vector<unsigned>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i)
    tree.apply({tree.height() + levels[i], {NodeId{static_cast<std::uint16_t>(2 + i)}, 8192}});
  return tree;
}
inline const std::vector<std::vector<unsigned>> kGrowths = {{1},    {2},    {3},      {1, 1},
                                                            {1, 2}, {2, 1}, {1, 1, 1}};

}  // namespace latchlab::citron_tests
