#pragma once
// Has a simulation left its transient, and does its window tell of a steady state? Plain arithmetic
// in a fixed order: the same counts give the same answer everywhere.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace latchlab {

// The window's cycles are counted in so many parts of equal length.
inline constexpr std::size_t kBatches = 20;

// Goodput of the window's second half over the first, further from 1 than this: it has not settled,
// or has stopped; unless chance makes as much of it.
inline constexpr double kSteady = 0.05;

// MSER-5 (White, Cobb and Spratt, Winter Simulation Conference 2000): the number of observations at
// the beginning without which the standard error of the others' mean is least, over means of five,
// a quarter of which is always kept.
// None: that is more than half of them, so that the transient may not be over, or there are fewer
// than fifty.
std::optional<std::size_t> mser_5(std::span<const std::uint64_t> observations);

// Whether the two halves of the batches agree within kSteady, or within the 95% interval of their
// difference (Welch, with the fewer degrees of freedom). Not if nothing was counted at all, or in
// the second half.
bool is_steady(std::span<const std::uint64_t> batches);

}  // namespace latchlab
