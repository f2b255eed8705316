#pragma once
// Seeded random numbers: the same stream on every compiler and CPU (integers only). Streams are
// keyed by (seed, client, purpose), so that one more draw does not change any other stream.

#include <cstdint>

namespace latchlab {

// A 64-bit mixer (the finaliser of SplitMix64).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
constexpr std::uint64_t hash_of(std::uint64_t a, std::uint64_t b) {
  return mix64(mix64(a) ^ b);
}
constexpr std::uint64_t hash_of(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return hash_of(hash_of(a, b), c);
}

// The purpose of a stream. Results depend on the values: never renumber.
enum class StreamPurpose : std::uint64_t {
  protocol = 1,  // Verbs::random
  keys = 2,      // choice of the lock
  modes = 3,     // shared or exclusive
  timing = 4,    // think times, start offsets
  jitter = 5,    // the backend's network jitter
  clocks = 6,    // drift and offset of a node
  schedule = 7,  // the order that the explorer chooses
  faults = 8,
  arrivals = 9,  // arrivals of sections in an open loop
};

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): 64x64-bit products

// xoshiro256++ (Blackman and Vigna, 2019).
class Rng {
 public:
  explicit Rng(std::uint64_t seed = 1) {
    for (auto& word : state_) word = seed = mix64(seed);
  }
  Rng(std::uint64_t seed, std::uint64_t owner, StreamPurpose purpose)
      : Rng(hash_of(seed, owner, static_cast<std::uint64_t>(purpose))) {}

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), exactly (rejection after Lemire); bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold)
        product = static_cast<Wide>(next()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  std::uint64_t state_[4] = {};
};

}  // namespace latchlab
