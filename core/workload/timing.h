#pragma once
// Random times and yes-or-no draws, in integers: the same on every compiler and CPU. Each call
// takes from the stream whatever its arguments say, so that changing a probability or a mean
// leaves the other draws of the stream where they were.

#include <cstdint>

#include "core/base/random.h"
#include "core/base/time.h"

namespace latchlab {

// True with probability ppb / 10^9, exactly; always for ppb >= 10^9, never for ppb <= 0.
bool happens(Rng& rng, std::int64_t ppb);

// Exponentially distributed with this mean (>= 0), to the nearest picosecond; at most 44.4 means,
// which is what 64 random bits can say.
Duration exponential(Rng& rng, Duration mean);

// Uniform in [0, bound); zero for bound <= 0. For start offsets.
Duration uniform_below(Rng& rng, Duration bound);

}  // namespace latchlab
