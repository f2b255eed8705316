// The locks, modes and extents that the operations of a case want.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tools/explore/case.h"

namespace latchlab::explore {

char Case::letter(std::uint32_t client, std::uint32_t operation) const {
  const bool known = client < modes.size() && operation < modes[client].size();
  return known ? modes[client][operation] : 'X';
}

LockMode Case::mode(std::uint32_t client, std::uint32_t operation) const {
  switch (letter(client, operation)) {
    case 'S':
      return LockMode::shared;
    case 'U':
    case 'P':
      return LockMode::update;
    default:
      return LockMode::exclusive;
  }
}

std::vector<LockId> Case::wanted(std::uint32_t client, std::uint32_t operation) const {
  std::vector<LockId> wanted;
  for (std::uint32_t k = 0; k < held; ++k)
    wanted.push_back(LockId{(operation + k + (sorted ? 0 : client)) % locks});
  if (sorted) std::sort(wanted.begin(), wanted.end());
  return wanted;
}

Extent Case::extent(std::uint32_t client, std::uint32_t operation) const {
  return extents.empty() ? Extent{} : extents[(client + operation) % extents.size()];
}

std::string text_of(const Extent& extent) {
  return fmt::format("{}-{}", extent.first, extent.first + extent.count);
}

Result<Extent> extent_of(const std::string& text) {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  const char* const stop = text.data() + text.size();
  const auto [dash, one] = std::from_chars(text.data(), stop, first);
  const bool dashed = one == std::errc() && dash != stop && *dash == '-';
  const auto [last, two] = dashed ? std::from_chars(dash + 1, stop, end) : std::from_chars_result{};
  if (!dashed || two != std::errc() || last != stop || end <= first)
    return Error{fmt::format("extent '{}': expected FIRST-END such as 0-4, units 0 to 3", text),
                 {}};
  return Extent{first, end - first};
}

}  // namespace latchlab::explore
