#pragma once
// A running hash of semantic events in order: two runs with equal fingerprints did the same things
// at the same times. Independent of compiler and CPU.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace latchlab {

class Fingerprint {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29;
  }
  // Several in order, without a loop.
  template <std::size_t kCount>
  void add(const std::uint64_t (&words)[kCount]) {
    [&]<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
      (add(words[kPlaces]), ...);
    }
    (std::make_index_sequence<kCount>());
  }
  std::uint64_t value() const { return state_; }
  std::string text() const {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out(16, '0');
    for (int i = 0; i < 16; ++i) out[15 - i] = kDigits[(state_ >> (4 * i)) & 15];
    return out;
  }

 private:
  std::uint64_t state_ = 0x6c61746368;
};

}  // namespace latchlab
