#pragma once
// Values by number, found at once and in no order: a hash table that cannot be walked through,
// because the order of one differs between libraries.

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace latchlab {

template <class T>
class Lookup {
 public:
  std::size_t size() const { return values_.size(); }
  bool contains(std::uint64_t key) const { return values_.count(key) != 0; }
  // Null: there is none. Where a value is does not change until it is erased.
  T* find(std::uint64_t key) {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }
  const T* find(std::uint64_t key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }
  // A new one is T{}.
  T& operator[](std::uint64_t key) { return values_[key]; }
  void erase(std::uint64_t key) { values_.erase(key); }

 private:
  // With room from the beginning: a search does not tell one that was in use from a new one.
  static constexpr std::size_t kBuckets = 13;

  std::unordered_map<std::uint64_t, T> values_{kBuckets};
};

}  // namespace latchlab
