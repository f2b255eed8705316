#include "core/measure/steady.h"

#include <vector>

#include "core/measure/statistics.h"

namespace latchlab {
namespace {

constexpr std::size_t kFive = 5;
constexpr std::size_t kFewest = 50;

std::vector<double> as_numbers(std::span<const std::uint64_t> counts) {
  std::vector<double> numbers;
  for (const std::uint64_t count : counts) numbers.push_back(static_cast<double>(count));
  return numbers;
}

std::vector<double> means_of_five(std::span<const std::uint64_t> observations) {
  std::vector<double> means;
  for (std::size_t i = 0; i + kFive <= observations.size(); i += kFive)
    means.push_back(*mean(as_numbers(observations.subspan(i, kFive))));
  return means;
}

}  // namespace

// From the end, with running sums.
std::optional<std::size_t> mser_5(std::span<const std::uint64_t> observations) {
  if (observations.size() < kFewest) return std::nullopt;
  const std::vector<double> means = means_of_five(observations);
  double sum = 0, squares = 0, least = 0;
  std::size_t best = means.size();
  for (std::size_t first = means.size(); first-- > 0;) {
    sum += means[first];
    squares += means[first] * means[first];
    const auto count = static_cast<double>(means.size() - first);
    if (4 * (means.size() - first) < means.size()) continue;  // so few may agree by chance
    const double statistic = (squares - sum * sum / count) / (count * count);
    if (best != means.size() && statistic > least) continue;
    least = statistic;
    best = first;
  }
  if (best > means.size() / 2) return std::nullopt;
  return best * kFive;
}

bool is_steady(std::span<const std::uint64_t> batches) {
  const std::size_t half = batches.size() / 2;
  const std::vector<double> first = as_numbers(batches.first(half));
  const std::vector<double> second = as_numbers(batches.last(half));
  const double before = mean(first).value_or(0), after = mean(second).value_or(0);
  if (before <= 0 || after <= 0) return false;
  const double change = after > before ? after - before : before - after;
  if (change <= kSteady * before) return true;
  const auto chance = half_width_95(first, second);
  return chance && change <= *chance;
}

}  // namespace latchlab
