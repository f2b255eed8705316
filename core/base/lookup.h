#pragma once
// A hash table by number without iteration, because the order of iteration differs between
// libraries.

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace latchlab {

template <class T>
class Lookup {
 public:
  std::size_t size() const { return values_.size(); }
  bool contains(std::uint64_t key) const { return values_.count(key) != 0; }
  // Null: not found. A value keeps its address until it is erased.
  T* find(std::uint64_t key) {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }
  const T* find(std::uint64_t key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }
  // Inserts T{} if the key is not there.
  T& operator[](std::uint64_t key) { return values_[key]; }
  void erase(std::uint64_t key) { values_.erase(key); }

 private:
  // Reserved up front, so that a used table and a new one are the same state to a search.
  static constexpr std::size_t kBuckets = 13;

  std::unordered_map<std::uint64_t, T> values_{kBuckets};
};

}  // namespace latchlab
