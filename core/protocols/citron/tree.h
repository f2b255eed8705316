#pragma once
// The lock tree as arithmetic (CITRON 3.3, 3.5.5, 3.9): which nodes there are, where their words
// lie, which of them a request notifies and which it reads. Quaternary; a leaf stands for 64 units,
// one bit each.
//
// A node is identified by its height (leaves 0) and its number from the left in its level. Both
// stay the same when the tree grows, because it gets a new root whose leftmost descendant is the
// old one. The nodes that one scale-up adds lie in one part of memory, in level order, without the
// nodes that existed before.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/small_vector.h"

namespace latchlab::citron {

inline constexpr std::uint64_t kLeafUnits = 64;
inline constexpr unsigned kMostHeight = 14;  // 2^34 units; a wait's probes hold all ancestors
inline constexpr unsigned kMostMeet = 6;     // the READ of a level then has 8 KiB

struct TreeNode {
  std::uint64_t at = 0;
  std::uint64_t height = 0;
  constexpr bool operator==(const TreeNode&) const = default;
  constexpr bool leaf() const { return height == 0; }
  constexpr std::uint64_t units() const { return kLeafUnits << (2 * height); }
  constexpr std::uint64_t first() const { return at << (2 * height + 6); }  // unit
  constexpr TreeNode up(std::uint64_t levels) const {
    return {at >> (2 * levels), height + levels};
  }
  constexpr TreeNode child(unsigned which) const { return {at * 4 + which, height - 1}; }
  constexpr bool is_below(const TreeNode& other) const {  // or the same node
    return height <= other.height && up(other.height - height) == other;
  }
};

// The nodes of a full quaternary tree of so many levels.
constexpr std::uint64_t nodes_of_levels(std::uint64_t levels) {
  return ((std::uint64_t{1} << (2 * levels)) - 1) / 3;
}
constexpr std::uint64_t nodes_of_height(std::uint64_t height) {
  return nodes_of_levels(height + 1);
}

// Adjacent nodes of a level whose words are adjacent in memory.
struct Block {
  TreeNode first;
  std::uint64_t count = 0;
  RemoteAddr addr;
};

// A change of a tree: it is expanded to a new height with new nodes at `added`, or, where that is
// null, cut down to a lower height.
struct Change {
  std::uint64_t height = 0;
  RemoteAddr added;
  constexpr bool cuts() const { return added.node == kNoNode; }
};

class Tree {
 public:
  Tree() = default;
  Tree(RemoteAddr nodes, unsigned height);

  std::uint64_t height() const { return height_; }
  TreeNode root() const { return {0, height_}; }
  std::uint64_t units() const { return root().units(); }
  std::uint64_t depth(const TreeNode& node) const { return height_ - node.height; }
  bool has(const TreeNode& node) const;

  // The number of changes so far.
  std::uint64_t generation() const { return heights_.size(); }
  void apply(const Change& change);
  // Words that an expansion to this height adds.
  std::uint64_t added_nodes(std::uint64_t height) const;

  // The paper's number of a node, from 1 in level order.
  std::uint64_t index(const TreeNode& node) const {
    return nodes_of_levels(depth(node)) + node.at + 1;
  }
  RemoteAddr address(const TreeNode& node) const;  // also of a node that the last cut removed

  // How often Exp of a node of this tree has been incremented up to some generation: once for each
  // expansion of a tree in whose top `meet` levels the node was.
  std::uint64_t expansions(const TreeNode& node, unsigned meet, std::uint64_t generation) const;
  std::uint64_t expansions(const TreeNode& node, unsigned meet) const {
    return expansions(node, meet, generation());
  }
  // The height of the tree in that generation.
  std::uint64_t height_in(std::uint64_t generation) const {
    return generation < generation_count() ? heights_[generation] : height_;
  }

  // Ancestors that a request at this node notifies, the lowest first (3.5.5): every m-th, from the
  // parent on. Of those in the top m - 1 levels only the parent is notified, and the one of level m
  // takes the place of the others.
  SmallVector<TreeNode, 6> told(const TreeNode& node, unsigned meet) const;
  // The node and its internal descendants within m levels: the nodes at which a request waits.
  std::vector<Block> looked_at(const TreeNode& node, unsigned meet) const;
  // The node's ancestors m, 2m, ... levels above, in that generation: those that an expansion
  // notifies on behalf of requests that have notified the node.
  SmallVector<TreeNode, 6> told_by_expansion(const TreeNode& node, unsigned meet,
                                             std::uint64_t generation) const {
    return every(node, meet, meet, generation);
  }
  // ... 1, m + 1, ... levels above: on behalf of a request at an old root, which has notified none.
  SmallVector<TreeNode, 6> told_for_root(const TreeNode& root, unsigned meet,
                                         std::uint64_t generation) const {
    return every(root, 1, meet, generation);
  }
  // The internal nodes of the top m levels, in the order of their numbers.
  std::vector<TreeNode> top(unsigned meet) const;

 private:
  struct Part {
    std::uint64_t height = 0;  // of its root
    std::uint64_t used = 0;    // height of the subtree still in use, at the left
    RemoteAddr addr;
  };
  std::uint64_t generation_count() const { return heights_.size(); }
  SmallVector<TreeNode, 6> every(const TreeNode& node, unsigned first, unsigned meet,
                                 std::uint64_t generation) const;
  static RemoteAddr address_in(const std::vector<Part>& parts, const TreeNode& node);
  static bool within(const TreeNode& node, std::uint64_t height) {
    return node.height <= height && node.at >> (2 * (height - node.height)) == 0;
  }

  std::uint64_t height_ = 0;
  std::vector<Part> parts_;              // by height
  std::vector<Part> former_;             // before the last cut
  std::vector<std::uint64_t> heights_;   // before each change
  std::vector<std::uint64_t> expanded_;  // 1: it was an expansion
};

}  // namespace latchlab::citron
