#pragma once
// Hashes that are the same on every compiler and CPU: of words in their order, and of events
// without an order.

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
  // Adds several words in order, without a loop.
  template <std::size_t kCount>
  void add(const std::uint64_t (&words)[kCount]) {
    [&]<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
      (add(words[kPlaces]), ...);
    }
    (std::make_index_sequence<kCount>());
  }
  std::uint64_t value() const { return state_; }
  std::string text() const { return text_of(state_); }
  static std::string text_of(std::uint64_t value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out(16, '0');
    for (int i = 0; i < 16; ++i) out[15 - i] = kDigits[(value >> (4 * i)) & 15];
    return out;
  }

 private:
  std::uint64_t state_ = 0x6c61746368;
};

// The fingerprint of a run: two runs with equal fingerprints did the same things at the same times.
// An event consists of its time, its actor, its kind and its result. The order in which events of
// one time are added does not matter, so that they may come from several places in the code.
class RunFingerprint {
 public:
  template <std::size_t kCount>
  void add(std::uint64_t date, const std::uint64_t (&what)[kCount]) {
    Fingerprint event;
    event.add(date);
    event.add(what);
    sum_ += event.value();
  }
  std::uint64_t value() const { return sum_; }
  std::string text() const { return Fingerprint::text_of(sum_); }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace latchlab
