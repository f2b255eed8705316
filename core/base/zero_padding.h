#pragma once
// Padding with a defined value. A compiler leaves other padding with arbitrary register contents. A
// search compares the memory of coroutines byte by byte, and would take one state for several. For
// small values that every coroutine stores.

#include <array>
#include <compare>

namespace latchlab {

template <class Unit, int Count>
struct ZeroPadding {
  std::array<Unit, Count> zeros = {};
  constexpr auto operator<=>(const ZeroPadding&) const = default;
};

}  // namespace latchlab
