#include "core/study/same_runs.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "core/protocols/registry.h"
#include "core/scenario/resolve.h"
#include "core/scenario/suggestions.h"

namespace latchlab {

namespace {

// An axis of the point is a parameter of other locks.
bool has_foreign_axis(const Point& point) {
  constexpr std::string_view kParameter = "protocol.";
  const std::vector<std::string> common = {"name", "profile", "label"};
  const ProtocolEntry* const entry = find_protocol(point.protocol.name);
  return entry != nullptr &&
         std::any_of(point.axes.begin(), point.axes.end(), [&](const auto& axis) {
           if (!axis.first.starts_with(kParameter)) return false;
           const std::string name = axis.first.substr(kParameter.size());
           return !contains(common, name) && entry->info.find_param(name) == nullptr;
         });
}

}  // namespace

std::vector<std::size_t> same_runs(const Scenario& scenario) {
  std::vector<std::size_t> first(scenario.points.size());
  std::map<std::string, std::size_t> seen;
  for (std::size_t p = 0; p < first.size(); ++p) {
    const Point& point = scenario.points[p];
    first[p] = has_foreign_axis(point)
                   ? seen.emplace(emit_yaml(write_point(point, "")), p).first->second
                   : p;
  }
  return first;
}

}  // namespace latchlab
