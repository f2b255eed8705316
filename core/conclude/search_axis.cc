#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/conclude/crossing.h"
#include "core/measure/statistics.h"
#include "core/scenario/fields.h"
#include "core/scenario/input_error.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/sweep.h"

namespace latchlab {
namespace {

constexpr std::string_view kNic = "platform.nic.";
constexpr std::string_view kParameter = "protocol.";

bool can_be_searched(KeyKind kind) {
  return kind == KeyKind::count || kind == KeyKind::duration || kind == KeyKind::bytes ||
         kind == KeyKind::ratio || kind == KeyKind::bit_rate || kind == KeyKind::factor;
}

// The rows of a path; empty: unknown path.
std::vector<ScenarioKey> rows_of(const std::string& path,
                                 const std::vector<ParamSpec>& parameters) {
  std::vector<ScenarioKey> rows;
  if (path.starts_with(kParameter))
    for (const ParamSpec& param : parameters)
      if (param.name == path.substr(kParameter.size())) rows.push_back(key_of(param));
  return rows.empty() ? keys_at(path) : rows;
}

std::vector<std::string> known_paths(const std::vector<ParamSpec>& parameters) {
  std::vector<std::string> paths;
  for (const ScenarioKey& key : scenario_keys())
    if (can_be_searched(key.kind)) paths.push_back(key.path);
  for (const NicConstant& constant : nic_constants())
    paths.push_back(std::string(kNic) + constant.key());
  for (const ParamSpec& param : parameters) paths.push_back(std::string(kParameter) + param.name);
  return paths;
}

Result<ScenarioKey> numeric_key(const std::string& path, const std::vector<ParamSpec>& parameters) {
  const std::vector<ScenarioKey> rows = rows_of(path, parameters);
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [](const ScenarioKey& row) { return can_be_searched(row.kind); });
  if (found != rows.end()) return *found;
  if (!rows.empty())
    return Error{
        fmt::format("--along {}: it is a {}; expected the path of a count, a time, a size, "
                    "a ratio or a rate",
                    path, name_of(rows.front().kind)),
        {}};
  const std::string near = nearest(path, known_paths(parameters));
  return Error{fmt::format("--along {}: there is no such path{}", path,
                           near.empty() ? "; docs/scenario-reference.md has all of them"
                                        : "; did you mean '" + near + "'?"),
               {}};
}

// The nearest number with the fewest digits that is within `slack` of `value`.
std::int64_t rounded(std::int64_t value, std::int64_t slack) {
  std::int64_t step = 1;
  while (step <= value / 10) step *= 10;
  for (; step > 1; step /= 10) {
    const std::int64_t near = (value + step / 2) / step * step;
    if (std::abs(near - value) <= slack) return near;
  }
  return value;
}

}  // namespace

std::string SearchAxis::text(std::int64_t value) const {
  return write_number(key, value).text;
}

std::int64_t SearchAxis::halfway(std::int64_t from, std::int64_t to) const {
  const std::int64_t middle =
      by_factors ? static_cast<std::int64_t>(
                       square_root(static_cast<double>(from) * static_cast<double>(to)) + 0.5)
                 : from + (to - from) / 2;
  const std::int64_t inside = std::clamp(middle, from + 1, std::max(from + 1, to - 1));
  return rounded(inside, std::min(inside - from, to - inside) / 5);
}

bool SearchAxis::is_narrow(std::int64_t from, std::int64_t to, double precision) const {
  return to - from <= 1 || static_cast<double>(to - from) <= precision * static_cast<double>(to);
}

Result<SearchAxis> parse_search_axis(const std::string& text,
                                     const std::vector<ParamSpec>& parameters) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = text.find("..", equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || dots == std::string::npos)
    return Error{fmt::format("--along {}: expected PATH=LOW..HIGH, for example "
                             "platform.clients_per_node=1..64",
                             text),
                 {}};
  SearchAxis axis;
  axis.path = text.substr(0, equals);
  auto key = numeric_key(axis.path, parameters);
  if (!key) return key.error();
  axis.key = std::move(key).value();
  try {
    const auto read = [&](const std::string& value) {
      return read_number({axis.key, yaml_text(value), axis.path});
    };
    axis.low = read(text.substr(equals + 1, dots - equals - 1));
    axis.high = read(text.substr(dots + 2));
  } catch (const InputError& problem) {
    return Error{"--along " + problem.error.message, {}};
  }
  if (axis.low >= axis.high)
    return Error{fmt::format("--along {}: {} is not below {}; write the lower end first", text,
                             axis.text(axis.low), axis.text(axis.high)),
                 {}};
  axis.by_factors = axis.key.kind != KeyKind::ratio && axis.low > 0;
  return axis;
}

}  // namespace latchlab
