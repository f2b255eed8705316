#pragma once
// Padding that has a value. A compiler leaves other padding as it happens to be in a register, and
// a search, which compares the memory of coroutines byte by byte, would take one state for several.
// For the small values that every coroutine keeps.

#include <array>
#include <compare>

namespace latchlab {

template <class Unit, int Count>
struct ZeroPadding {
  std::array<Unit, Count> zeros = {};
  constexpr auto operator<=>(const ZeroPadding&) const = default;
};

}  // namespace latchlab
