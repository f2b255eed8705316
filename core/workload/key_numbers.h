#pragma once
// Keys, numbered in the order in which they first appear. What tells them apart is 128 bits of
// hashes, not their text: two keys out of a thousand million are taken for one with a probability
// of 10^-20. So a key costs 21 to 27 bytes (and while the table grows, 5 more), however long it is.

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
  std::vector<std::uint32_t> slots_;  // a power of two of them: a number + 1, or 0
};

}  // namespace latchlab
