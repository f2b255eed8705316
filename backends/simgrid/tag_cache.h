#pragma once
// The lines of a node's memory that its CPU's cache holds: a set-associative array of tags with LRU
// replacement. Deterministic: the same accesses always give the same hits.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace latchlab::sim {

class TagCache {
 public:
  static constexpr std::uint64_t kLineBytes = 64;
  static constexpr std::uint64_t kWays = 16;

  TagCache() = default;
  // At least one set; its memory is allocated at the first access.
  explicit TagCache(std::uint64_t bytes)
      : set_count_(std::max<std::uint64_t>(bytes / (kLineBytes * kWays), 1)) {}

  // Touches every line of [offset, offset + bytes); true if all of them were cached.
  bool touch(std::uint64_t offset, std::uint64_t bytes) {
    bool hit = true;
    for (std::uint64_t line = offset / kLineBytes; line <= (offset + bytes - 1) / kLineBytes;
         ++line)
      hit = touch_line(line) && hit;
    return hit;
  }

 private:
  using Set = std::array<std::uint64_t, kWays>;  // tags + 1, most recent first; 0: empty

  bool touch_line(std::uint64_t line) {
    if (sets_.empty()) sets_.resize(set_count_);
    Set& set = sets_[line % set_count_];
    const std::uint64_t tag = line / set_count_ + 1;
    const auto found = std::find(set.begin(), set.end(), tag);
    const bool hit = found != set.end();
    std::rotate(set.begin(), hit ? found : set.end() - 1, hit ? found + 1 : set.end());
    set.front() = tag;
    return hit;
  }

  std::uint64_t set_count_ = 1;
  std::vector<Set> sets_;
};

}  // namespace latchlab::sim
