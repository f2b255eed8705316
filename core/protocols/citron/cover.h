#pragma once
// Which nodes a range is locked by (CITRON 3.5.1): at most k nodes that together contain all its
// units, and as few other units as possible. A leaf adds no other units: its bits are locked one by
// one.

#include <cstdint>

#include "core/base/small_vector.h"
#include "core/protocols/citron/tree.h"
#include "core/verbs/verbs.h"

namespace latchlab::citron {

inline constexpr unsigned kMostNodes = 8;

struct Cover {
  std::uint64_t others = 0;        // units that are locked and were not asked for
  SmallVector<TreeNode, 2> nodes;  // ascending, none below another
};

// For units [begin, end), not empty, all in the tree below this root. Of the covers with the fewest
// other units, one with the fewest nodes.
Cover cover_of(const TreeNode& root, std::uint64_t begin, std::uint64_t end, unsigned nodes);

// The bits of a leaf for those of its units that are in [begin, end).
std::uint64_t leaf_mask(const TreeNode& leaf, std::uint64_t begin, std::uint64_t end);

inline Verb set_bits(RemoteAddr leaf, std::uint64_t mask) {
  return masked_cas_verb(leaf, 8, {}, {mask, 0}, {mask, 0}, {mask, 0});
}

inline bool were_clear(const Completion& before, std::uint64_t mask) {
  return (before.value.lo & mask) == 0;
}

}  // namespace latchlab::citron
