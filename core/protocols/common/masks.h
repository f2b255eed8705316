#pragma once
// Bit fields inside a lock word.

#include <cstdint>

#include "core/base/ids.h"

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

// The position of a lock entry of 1, 2 or 4 bytes within an aligned word of 8 bytes, the only unit
// of an RNIC's atomics. Other locks' entries may share the word.

struct PartOfWord {
  RemoteAddr word;
  unsigned shift = 0;  // of the entry's lowest bit in the word

  constexpr explicit PartOfWord(RemoteAddr entry)
      : word(entry.node, entry.offset / 8 * 8),
        shift(static_cast<unsigned>(entry.offset % 8 * 8)) {}
};

}  // namespace latchlab
