#pragma once
// Numbers keys in the order in which they first appear. Keys are compared by 128 bits of hashes,
// not by their text: the probability that two of a thousand million keys are taken for one is
// 10^-20. So a key takes 21 to 27 bytes (and while the table grows, 5 more), whatever its length.

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace latchlab {

class KeyNumbers {
 public:
  KeyNumbers();
  // Keys are fewer than 2^32 - 1.
  std::uint32_t number_of(std::string_view key);
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }

 private:
  struct Key {
    std::uint64_t hash = 0, check = 0;
    bool operator==(const Key&) const = default;
  };
  static Key key_of(std::string_view text);
  std::uint32_t& slot_of(const Key& key);
  void grow();

  std::deque<Key> keys_;              // by number
  std::vector<std::uint32_t> slots_;  // their number is a power of two; each a number + 1, or 0
};

}  // namespace latchlab
