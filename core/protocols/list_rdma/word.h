#pragma once
// The one kind of word that contains a link in list_rdma.h: the head of a list, and `next` of
// nodes.

#include <cstdint>

#include "core/protocols/common/masks.h"

namespace latchlab::list_rdma {

inline constexpr unsigned kIndexBits = 19;
inline constexpr unsigned kGenerationBits = 22;
inline constexpr std::uint64_t kMostNodes = (1ULL << kIndexBits) - 1;  // on one server
inline constexpr std::uint64_t kMark = 1;  // what an FAA adds to mark a node

// A node in its current use. Index 0: none.
struct NodeRef {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  constexpr bool null() const { return index == 0; }
  constexpr bool operator==(const NodeRef&) const = default;
};

struct Link {
  bool marked = false;    // in a node: it has been released; in the head: `next` is alone
  NodeRef next;           // none: the end of the list
  std::uint32_t own = 0;  // generation of the node that this word is in; 0 in a head

  static constexpr Link of(std::uint64_t word) {
    const auto field = [word](unsigned shift, unsigned width) {
      return static_cast<std::uint32_t>(field_of(word, shift, width));
    };
    Link link;
    link.marked = (word & kMark) != 0;
    link.next = {field(1, kIndexBits), field(1 + kIndexBits, kGenerationBits)};
    link.own = field(1 + kIndexBits + kGenerationBits, kGenerationBits);
    return link;
  }
  constexpr std::uint64_t packed() const {
    return (marked ? kMark : 0) | std::uint64_t{next.index} << 1U |
           std::uint64_t{next.generation} << (1 + kIndexBits) |
           std::uint64_t{own} << (1 + kIndexBits + kGenerationBits);
  }
  constexpr bool operator==(const Link&) const = default;
};

}  // namespace latchlab::list_rdma
