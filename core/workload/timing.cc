#include "core/workload/timing.h"

#include <limits>

#include "core/base/check.h"
#include "core/base/fixed_math.h"

namespace latchlab {

bool happens(Rng& rng, std::int64_t ppb) {
  return static_cast<std::int64_t>(rng.below(1'000'000'000)) < ppb;
}

// -ln(u) for u = (r + 1) / 2^64, r a random word: (64 - log2(r + 1)) * ln 2.
Duration exponential(Rng& rng, Duration mean) {
  LATCHLAB_CHECK(mean.ps >= 0, "negative mean of a duration");
  const std::uint64_t word = rng.next();
  if (word == std::numeric_limits<std::uint64_t>::max()) return {};
  const Wide halvings_q58 = (static_cast<Wide>(1) << 64) - log2_q58(word + 1);
  const Wide means_q58 = (halvings_q58 * kLn2Q64) >> 64;
  const Wide half = static_cast<Wide>(1) << 57;
  const Wide ps = (means_q58 * static_cast<std::uint64_t>(mean.ps) + half) >> 58;
  const Wide most = static_cast<std::uint64_t>(kForever.ps);
  return {static_cast<std::int64_t>(static_cast<std::uint64_t>(ps < most ? ps : most))};
}

Duration uniform_below(Rng& rng, Duration bound) {
  const std::uint64_t range = bound.ps > 0 ? static_cast<std::uint64_t>(bound.ps) : 1;
  return {static_cast<std::int64_t>(rng.below(range))};
}

}  // namespace latchlab
