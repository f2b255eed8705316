#pragma once
// Random times and boolean draws, in integers: the same on every compiler and CPU. Each call draws
// the same amount from the stream, whatever its arguments, so that changing a probability or a mean
// does not change the stream's other draws.

#include <cstdint>

#include "core/base/random.h"
#include "core/base/time.h"

namespace latchlab {

// True with probability ppb / 10^9, exactly; always for ppb >= 10^9, never for ppb <= 0.
bool happens(Rng& rng, std::int64_t ppb);

// Exponentially distributed with this mean (>= 0), to the nearest picosecond; at most 44.4 means,
// the range of 64 random bits.
Duration exponential(Rng& rng, Duration mean);

// Uniform in [0, bound); zero for bound <= 0. For start offsets.
Duration uniform_below(Rng& rng, Duration bound);

}  // namespace latchlab
