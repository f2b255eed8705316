#pragma once
// Bit fields inside a lock word.

#include <cstdint>

namespace latchlab {

// `width` bits from bit `shift` up; width 1..64, shift + width <= 64.
constexpr std::uint64_t field_mask(unsigned shift, unsigned width) {
  return (width == 64 ? ~0ULL : (1ULL << width) - 1) << shift;
}
constexpr std::uint64_t field_of(std::uint64_t word, unsigned shift, unsigned width) {
  return (word & field_mask(shift, width)) >> shift;
}
// The top bit of a field: the boundary that a masked FAA takes.
constexpr std::uint64_t field_top(unsigned shift, unsigned width) {
  return 1ULL << (shift + width - 1);
}

}  // namespace latchlab
