#pragma once
// Detects whether a simulation has left its transient, and whether its window is in steady state.
// Plain arithmetic in a fixed order: equal counts give the same answer on every machine.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace latchlab {

// The window's cycles are counted in this many parts of equal length.
inline constexpr std::size_t kBatches = 20;

// If the goodput of the window's second half over the first differs from 1 by more than this, and
// by more than random variation explains, the run has not settled, or has stopped.
inline constexpr double kSteady = 0.05;

// MSER-5 (White, Cobb and Spratt, Winter Simulation Conference 2000): the number of initial
// observations to drop so that the standard error of the mean of the rest is least. It uses means
// of five, and always keeps a quarter of them.
// None if that is more than half of the observations, so that the transient may not be over, or if
// there are fewer than fifty.
std::optional<std::size_t> mser_5(std::span<const std::uint64_t> observations);

// True if the two halves of the batches agree within kSteady, or within the 95% interval of their
// difference (Welch, with the fewer degrees of freedom). False if no cycle was counted at all, or
// none in the second half.
bool is_steady(std::span<const std::uint64_t> batches);

}  // namespace latchlab
