#include "core/scenario/suggestions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "core/scenario/input_error.h"

namespace latchlab {
namespace {

constexpr std::size_t kLongestWord = 64;  // bounds the quadratic edit distance on hostile input

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return cost[i * columns + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return "";
  const std::string wanted = lower(word);
  const std::size_t most = word.size() < 4 ? 1 : std::max<std::size_t>(2, word.size() / 3);
  std::size_t best = most + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance >= best || distance >= std::max(word.size(), candidate.size())) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return "; did you mean '" + near + "'?";
  return candidates.empty() ? "" : "; known: " + joined(candidates);
}

std::string aside(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : " (did you mean " + in_quotes(near) + "?)";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace latchlab
