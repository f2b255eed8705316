#pragma once
// A histogram of durations in picoseconds. Count, sum, minimum and maximum are exact; a percentile
// is off by at most 1/2048 of its value (below 0.05%). Integers only, so that merging in any order
// gives byte-identical results.
//
// Log-linear: 1024 equal cells per power of two, in blocks of 8 KiB that are allocated when first
// used (most histograms are empty or use few blocks).

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/base/time.h"

namespace latchlab {

class Histogram {
 public:
  Histogram() = default;
  Histogram(const Histogram& other) { merge(other); }
  Histogram& operator=(const Histogram& other);
  Histogram(Histogram&&) noexcept = default;
  Histogram& operator=(Histogram&&) noexcept = default;

  void record(Duration value);  // value >= 0
  void merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  Wide sum_ps() const { return sum_ps_; }

  // None if nothing was recorded.
  std::optional<double> mean_ns() const;
  std::optional<Duration> min() const;
  std::optional<Duration> max() const;
  // The smallest recorded value such that at least this share of the values do not exceed it, to
  // the precision above: 500'000 is the median; 0 gives min(), 1'000'000 gives max().
  std::optional<Duration> percentile(std::int64_t ppm) const;

  // One line of text with the complete state; parse(serialised()) equals *this.
  std::string serialised() const;
  static Result<Histogram> parse(std::string_view text);

  bool operator==(const Histogram& other) const;

 private:
  static constexpr int kCellBits = 10;
  static constexpr std::uint32_t kCells = 1U << kCellBits;
  static constexpr std::uint32_t kBlocks = 64 - kCellBits;  // values below 2^63
  using Block = std::array<std::uint64_t, kCells>;

  static std::uint32_t cell_of(std::uint64_t ps);
  static std::uint64_t middle_of(std::uint32_t cell);
  void add(std::uint32_t cell, std::uint64_t times);
  template <class Visit>
  void for_each_cell(Visit&& visit) const;  // visit(cell, times) of non-empty cells, ascending

  std::array<std::unique_ptr<Block>, kBlocks> blocks_;
  std::uint64_t count_ = 0;
  Wide sum_ps_ = 0;
  std::int64_t min_ps_ = kForever.ps;
  std::int64_t max_ps_ = 0;
};

}  // namespace latchlab
