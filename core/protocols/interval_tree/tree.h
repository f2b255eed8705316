#pragma once
// An interval tree: a balanced search tree of ranges, in which each node has the largest last unit
// of the ranges below it, so that a search for overlapping ranges skips subtrees that end before.
// Ranges may overlap. Requests with equal ranges share a node.
//
//  1. Nodes are in the order of their ranges (first unit, then last unit), which are distinct.
//  2. `reach` is the largest last unit of the node's range and those below it.
//  3. Heights of a node's two subtrees differ by at most one (AVL).

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/protocols/common/range_server/object_ranges.h"

namespace latchlab::interval_tree {

// A step is a node that a search, an insertion or an erasure visits, or that is new.
class IntervalTree {
 public:
  using Asker = range_server::Asker;
  using Span = range_server::Span;
  using Sharing = std::vector<Asker>;  // requests for one range, in the order of arrival

  void insert(const Span& span, const Asker& who);
  bool erase(const Span& span, const Asker& who);  // false: it is not there
  // The requests of each node that overlaps the span, in the order of ranges.
  std::vector<const Sharing*> meeting(const Span& span);
  std::uint64_t take_steps() { return std::exchange(steps_, 0); }

  // ---- for tests ----
  bool sound() const { return sound(root_.get()); }
  std::size_t height() const { return height(root_); }

 private:
  struct Node;
  using Owner = std::unique_ptr<Node>;
  struct Node {
    Span span;
    std::uint64_t reach = 0;
    std::uint64_t height = 1;
    Sharing sharing;
    Owner left = {};
    Owner right = {};
  };

  static std::uint64_t height(const Owner& node) { return node ? node->height : 0; }
  static void update(Node& node);
  static void turn(Owner& top, Owner Node::*up, Owner Node::*down);
  static void balance(Owner& top);
  static Owner take_least(Owner& top);
  static bool sound(const Node* node);
  void insert(Owner& top, const Span& span, const Asker& who);
  bool erase(Owner& top, const Span& span, const Asker& who);
  void search(const Node* node, const Span& span, std::vector<const Sharing*>& found);

  Owner root_;
  std::uint64_t steps_ = 0;
};

}  // namespace latchlab::interval_tree
