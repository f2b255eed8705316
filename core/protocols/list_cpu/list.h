#pragma once
// A singly linked list of disjoint ranges, sorted by their first units. Whoever erases one only
// marks it; whoever walks past a marked one unlinks it.

#include <forward_list>

#include "core/protocols/common/range_server/holders.h"

namespace latchlab::list_cpu {

// A step is a node that a walk from the head looks at, or that is linked or marked.
class RangeList final : public range_server::DisjointRanges {
 public:
  std::optional<range_server::Asker> try_insert(const range_server::Held& held) override;
  bool erase(const range_server::Held& held) override;
  std::size_t nodes() const;  // marked ones as well

 private:
  struct Node {
    range_server::Held held;
    std::uint64_t marked = 0;
  };
  std::forward_list<Node> nodes_;
};

}  // namespace latchlab::list_cpu
