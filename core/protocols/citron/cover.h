#pragma once
// Which nodes a range is locked by (CITRON 3.5.1): at most k that have all its units between them,
// and as few others as possible. A leaf has no others: its bits are locked one by one.

#include <cstdint>

#include "core/base/small_vector.h"
#include "core/protocols/citron/tree.h"

namespace latchlab::citron {

inline constexpr unsigned kMostNodes = 8;

struct Cover {
  std::uint64_t others = 0;     // units that nobody asked for
  SmallVector<Place, 2> nodes;  // ascending, none below another
};

// Of units [begin, end), some of them, all in the tree below this root. Of covers that lock as few
// units, one with the fewest nodes.
Cover cover_of(const Place& root, std::uint64_t begin, std::uint64_t end, unsigned nodes);

// The bits of a leaf for those of its units that are in [begin, end).
std::uint64_t leaf_mask(const Place& leaf, std::uint64_t begin, std::uint64_t end);

}  // namespace latchlab::citron
