#pragma once
// A singly linked list of disjoint ranges, sorted by their first units. An erasure only marks its
// node; a later walk that passes a marked node unlinks it.

#include <forward_list>

#include "core/protocols/common/range_server/holders.h"

namespace latchlab::list_cpu {

// A step is a node that a walk from the head visits, or that is linked or marked.
class RangeList final : public range_server::DisjointRanges {
 public:
  std::optional<range_server::Asker> try_insert(const range_server::Held& held) override;
  bool erase(const range_server::Held& held) override;
  std::size_t nodes() const;  // including marked ones

 private:
  struct Node {
    range_server::Held held;
    std::uint64_t marked = 0;
  };
  std::forward_list<Node> nodes_;
};

}  // namespace latchlab::list_cpu
