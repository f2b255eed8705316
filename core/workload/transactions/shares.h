#pragma once
// Draws the type of the next transaction.

#include <cstdint>
#include <span>

#include "core/base/random.h"

namespace latchlab {

// With these shares, which add up to 100.
inline std::uint32_t draw_type(Rng& rng, std::span<const std::uint32_t> percent) {
  std::uint64_t left = rng.below(100);
  std::uint32_t type = 0;
  for (; left >= percent[type]; ++type) left -= percent[type];
  return type;
}

}  // namespace latchlab
