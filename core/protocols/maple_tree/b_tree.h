#pragma once
// A B-tree of disjoint ranges: all leaves are equally deep; inner nodes have up to 16 children, as
// those of the kernel's maple tree; leaves have up to 8 ranges, because in a maple tree's 16 slots
// the gap beside a range takes one as well.
//
//  1. Ranges ascend within a leaf and from leaf to leaf.
//  2. lows[i] of an inner node is the first unit of the first range below children[i].
//  3. Nodes are at least half full, except the root, which has at least two children or is a leaf.

#include <memory>
#include <vector>

#include "core/protocols/common/range_server/holders.h"

namespace latchlab::maple_tree {

// A step is a node that a search or an erasure visits, or that a change adds or balances with a
// neighbour. An insertion follows the path of the search before it, which is not counted again.
class RangeTree final : public range_server::DisjointRanges {
 public:
  static constexpr std::size_t kChildren = 16;
  static constexpr std::size_t kRanges = 8;

  std::optional<range_server::Asker> try_insert(const range_server::Held& held) override;
  bool erase(const range_server::Held& held) override;

  // ---- for tests ----
  std::vector<range_server::Held> all() const;
  bool sound() const;  // the invariants hold
  std::size_t depth() const;

 private:
  friend struct MadeTree;  // of tests, which pass broken trees to sound()
  using Held = range_server::Held;
  struct Node;
  using Owner = std::unique_ptr<Node>;
  struct Node {
    std::vector<Held> held;  // in a leaf
    std::vector<std::uint64_t> lows;
    std::vector<Owner> children;  // none: a leaf

    bool leaf() const { return children.empty(); }
    std::size_t size() const { return leaf() ? held.size() : children.size(); }
    std::size_t room() const { return leaf() ? kRanges : kChildren; }
    std::uint64_t low() const { return leaf() ? held.front().span.first : lows.front(); }
    std::size_t child_of(std::uint64_t unit) const;
  };

  const Held* meets(const range_server::Span& span);
  Owner insert(Node& node, const Held& held);
  Owner split(Node& node);
  bool erase(Node& node, const Held& held);
  void even_out(Node& parent, std::size_t child);
  static void collect(const Node& node, std::vector<Held>& all);
  static bool sound(const Node& node, std::size_t depth, bool root);

  Owner root_ = std::make_unique<Node>();
};

}  // namespace latchlab::maple_tree
