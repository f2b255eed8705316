#include "core/study/same_runs.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/scenario/advice.h"
#include "core/scenario/resolve.h"

namespace latchlab {

namespace {

bool has_foreign_axis(const Point& point) {
  return std::any_of(point.axes.begin(), point.axes.end(),
                     [&](const auto& axis) { return lacks_parameter(point, axis.first); });
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
