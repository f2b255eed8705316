#pragma once
// The position of a lock entry of 1, 2 or 4 bytes within an aligned word of 8 bytes, the only unit
// of an RNIC's atomics. Other locks' entries may share the word.

#include "core/base/ids.h"

namespace latchlab {

struct PartOfWord {
  RemoteAddr word;
  unsigned shift = 0;  // of the entry's lowest bit in the word

  constexpr explicit PartOfWord(RemoteAddr entry)
      : word(entry.node, entry.offset / 8 * 8),
        shift(static_cast<unsigned>(entry.offset % 8 * 8)) {}
};

}  // namespace latchlab
