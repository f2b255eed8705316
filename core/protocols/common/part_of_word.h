#pragma once
// Where a lock entry of 1, 2 or 4 bytes lies: within an aligned word of 8 bytes, which is all that
// an RNIC's atomics know. Other locks' entries may lie beside it.

#include "core/base/ids.h"

namespace latchlab {

struct PartOfWord {
  RemoteAddr word;
  unsigned shift = 0;  // of its lowest bit in there

  constexpr explicit PartOfWord(RemoteAddr entry)
      : word(entry.node, entry.offset / 8 * 8),
        shift(static_cast<unsigned>(entry.offset % 8 * 8)) {}
};

}  // namespace latchlab
