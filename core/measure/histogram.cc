#include "core/measure/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <utility>

#include "core/base/check.h"

namespace latchlab {
namespace {

// Reads unsigned numbers separated by single spaces; remembers whether an error occurred.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : text_(text) {}
  bool done() const { return failed_ || text_.empty(); }
  bool failed() const { return failed_; }

  std::uint64_t next() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) {
      failed_ = true;
      return 0;
    }
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (!text_.empty()) {
      failed_ = text_.front() != ' ' || text_.size() == 1;
      text_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view text_;
  bool failed_ = false;
};

}  // namespace

Histogram& Histogram::operator=(const Histogram& other) {
  if (this != &other) {
    Histogram copy(other);
    *this = std::move(copy);
  }
  return *this;
}

// Block 0 holds 0..1023, one cell each; block e + 1 holds [1024, 2048) << e.
std::uint32_t Histogram::cell_of(std::uint64_t ps) {
  if (ps < kCells) return static_cast<std::uint32_t>(ps);
  const int shift = static_cast<int>(std::bit_width(ps)) - (kCellBits + 1);
  const auto within = static_cast<std::uint32_t>(ps >> shift) - kCells;
  return (static_cast<std::uint32_t>(shift) + 1) * kCells + within;
}

std::uint64_t Histogram::middle_of(std::uint32_t cell) {
  const std::uint32_t block = cell / kCells;
  if (block == 0) return cell;
  const std::uint32_t shift = block - 1;
  const std::uint64_t low = static_cast<std::uint64_t>(kCells + cell % kCells) << shift;
  return low + ((1ULL << shift) >> 1);
}

void Histogram::add(std::uint32_t cell, std::uint64_t times) {
  std::unique_ptr<Block>& block = blocks_[cell / kCells];
  if (!block) block = std::make_unique<Block>();
  (*block)[cell % kCells] += times;
}

void Histogram::record(Duration value) {
  LATCHLAB_CHECK(value.ps >= 0, "a negative duration was measured");
  const auto value_ps = static_cast<std::uint64_t>(value.ps);
  add(cell_of(value_ps), 1);
  ++count_;
  sum_ps_ += value_ps;
  min_ps_ = std::min(min_ps_, value.ps);
  max_ps_ = std::max(max_ps_, value.ps);
}

template <class Visit>
void Histogram::for_each_cell(Visit&& visit) const {
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    if (!blocks_[block]) continue;
    for (std::uint32_t i = 0; i < kCells; ++i)
      if ((*blocks_[block])[i] > 0) visit(block * kCells + i, (*blocks_[block])[i]);
  }
}

void Histogram::merge(const Histogram& other) {
  other.for_each_cell([this](std::uint32_t cell, std::uint64_t times) { add(cell, times); });
  count_ += other.count_;
  sum_ps_ += other.sum_ps_;
  min_ps_ = std::min(min_ps_, other.min_ps_);
  max_ps_ = std::max(max_ps_, other.max_ps_);
}

std::optional<double> Histogram::mean_ns() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(sum_ps_) / static_cast<double>(count_) / 1e3;
}

std::optional<Duration> Histogram::min() const {
  if (count_ == 0) return std::nullopt;
  return Duration{min_ps_};
}

std::optional<Duration> Histogram::max() const {
  if (count_ == 0) return std::nullopt;
  return Duration{max_ps_};
}

std::optional<Duration> Histogram::percentile(std::int64_t ppm) const {
  LATCHLAB_CHECK(ppm >= 0 && ppm <= 1'000'000, "a percentile beyond 100%");
  if (count_ == 0) return std::nullopt;
  if (ppm == 0) return min();
  const Wide product = static_cast<Wide>(count_) * static_cast<std::uint64_t>(ppm);
  const auto rank = static_cast<std::uint64_t>((product + 999'999) / 1'000'000);
  if (rank >= count_) return max();
  std::uint64_t passed = 0;
  std::int64_t found_ps = max_ps_;
  bool found = false;
  for_each_cell([&](std::uint32_t cell, std::uint64_t times) {
    passed += times;
    if (found || passed < rank) return;
    found = true;
    found_ps = static_cast<std::int64_t>(middle_of(cell));
  });
  return Duration{std::clamp(found_ps, min_ps_, max_ps_)};
}

// "sum's high word, low word, min, max, then per non-empty cell: distance from the last, times".
std::string Histogram::serialised() const {
  if (count_ == 0) return "";
  std::string text = fmt::format("{} {} {} {}", static_cast<std::uint64_t>(sum_ps_ >> 64),
                                 static_cast<std::uint64_t>(sum_ps_), min_ps_, max_ps_);
  std::uint32_t last = 0;
  for_each_cell([&](std::uint32_t cell, std::uint64_t times) {
    fmt::format_to(std::back_inserter(text), " {} {}", cell - last, times);
    last = cell;
  });
  return text;
}

Result<Histogram> Histogram::parse(std::string_view text) {
  Histogram histogram;
  if (text.empty()) return histogram;
  const Error broken{"a histogram is damaged; run the point again", {}};
  NumberReader numbers(text);
  histogram.sum_ps_ = static_cast<Wide>(numbers.next()) << 64;
  histogram.sum_ps_ |= numbers.next();
  const std::uint64_t min_ps = numbers.next();
  const std::uint64_t max_ps = numbers.next();
  if (max_ps > static_cast<std::uint64_t>(kForever.ps) || min_ps > max_ps) return broken;
  histogram.min_ps_ = static_cast<std::int64_t>(min_ps);
  histogram.max_ps_ = static_cast<std::int64_t>(max_ps);
  std::uint64_t cell = 0;
  while (!numbers.done()) {
    const std::uint64_t distance = numbers.next();
    const std::uint64_t times = numbers.next();
    if (numbers.failed() || distance >= kBlocks * kCells || times == 0) return broken;
    cell += distance;
    if (cell >= kBlocks * kCells) return broken;
    histogram.add(static_cast<std::uint32_t>(cell), times);
    histogram.count_ += times;
  }
  if (numbers.failed() || histogram.count_ == 0) return broken;
  return histogram;
}

bool Histogram::operator==(const Histogram& other) const {
  return serialised() == other.serialised();
}

}  // namespace latchlab
