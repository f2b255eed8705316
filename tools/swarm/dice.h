#pragma once
// Random choices from a seed, for drawing cases.

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/base/random.h"
#include "core/base/time.h"

namespace latchlab::swarm {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : rng_(seed) {}
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least >= most ? least : least + rng_.below(most - least + 1);
  }
  Duration between(Duration least, Duration most) {
    const auto span = static_cast<std::uint64_t>(std::max(most, least).ps - least.ps);
    return least + Duration{static_cast<std::int64_t>(rng_.below(span + 1))};
  }
  bool chance(std::uint64_t percent) { return rng_.below(100) < percent; }
  template <class Choices>
  auto of(const Choices& choices) {
    return choices[rng_.below(std::size(choices))];
  }
  // Each power of two between the two is as likely as any other; rounded to two digits.
  Duration about(Duration least, Duration most) { return Duration{about(least.ps, most.ps)}; }
  std::int64_t about(std::int64_t least, std::int64_t most) {
    if (least >= most) return least;
    const std::int64_t from = std::max<std::int64_t>(least, 1);
    std::uint64_t steps = 0;
    while (steps < 62 && (from << (steps + 1)) <= most) ++steps;
    const std::int64_t low = from << between(0, steps);
    const std::int64_t high = std::min(most, low > most / 2 ? most : 2 * low);
    const auto drawn = static_cast<std::int64_t>(
        between(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)));
    std::int64_t unit = 1;
    while (drawn / unit >= 100) unit *= 10;
    return std::max(least, drawn / unit * unit);
  }

  Rng& rng() { return rng_; }

 private:
  Rng rng_;
};

}  // namespace latchlab::swarm
