#pragma once
// Whole multiples of a number.

#include <cstdint>

namespace latchlab {

// How many units of size `each` cover `all`.
constexpr std::uint64_t how_many(std::uint64_t all, std::uint64_t each) {
  return (all + each - 1) / each;
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return how_many(value, to) * to;
}

}  // namespace latchlab
