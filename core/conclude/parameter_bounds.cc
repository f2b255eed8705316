// Bounds of the uncertain constants of a point's NICs.

#include <algorithm>
#include <optional>

#include "core/conclude/sensitivity.h"
#include "core/scenario/input_error.h"
#include "core/scenario/nic_constants.h"

namespace latchlab {
namespace {

template <class Visit>
void for_each_nic(Point& point, const Visit& visit) {
  visit(point.platform.nic);
  for (GroupSpec& group : point.groups)
    if (group.nic) visit(*group.nic);
}

ConstantBounds bounds_of(NicModel nic) {
  ConstantBounds ends;
  for (const ConstantOrigin& origin : nic.origins) {
    if (origin.status == ConstantStatus::published || origin.overridden || origin.low.empty())
      continue;
    const NicConstant& constant = *find_nic_constant(origin.key);
    const std::int64_t value = number_in(nic, constant);
    for (const std::string& at : {origin.low, origin.high}) {
      NicModel there = nic;
      set_number(there, constant, yaml_text(at));
      if (number_in(there, constant) != value) ends.push_back({nic.name, origin, at});
    }
  }
  return ends;
}

bool same_constant(const ConstantBound& a, const ConstantBound& b) {
  return a.nic == b.nic && a.origin.key == b.origin.key;
}

}  // namespace

ConstantBounds parameter_bounds(Point point) {
  ConstantBounds all;
  std::vector<std::string> seen;
  for_each_nic(point, [&](const NicModel& nic) {
    if (std::find(seen.begin(), seen.end(), nic.name) != seen.end()) return;
    seen.push_back(nic.name);
    const ConstantBounds ends = bounds_of(nic);
    all.insert(all.end(), ends.begin(), ends.end());
  });
  return all;
}

std::size_t constants_in(const ConstantBounds& ends) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (i == 0 || !same_constant(ends[i - 1], ends[i])) ++count;
  return count;
}

std::vector<NicSection> sections_of(const ConstantBounds& ends) {
  const auto section = [](const ConstantBound& end) {
    return end.nic + "/" + find_nic_constant(end.origin.key)->section;
  };
  std::vector<NicSection> sections;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (i == 0 || section(ends[i - 1]) != section(ends[i])) sections.emplace_back();
    NicSection& here = sections.back();
    if (i == 0 || !same_constant(ends[i - 1], ends[i])) here.low.push_back(ends[i]);
    if (i + 1 == ends.size() || !same_constant(ends[i + 1], ends[i])) here.high.push_back(ends[i]);
    here.ends.push_back(ends[i]);
  }
  return sections;
}

Result<Point> with_bounds(Point point, const ConstantBounds& variant) {
  for (const ConstantBound& end : variant) {
    std::optional<Error> refused;
    for_each_nic(point, [&](NicModel& nic) {
      if (nic.name != end.nic) return;
      try {
        set_number(nic, *find_nic_constant(end.origin.key), yaml_text(end.at));
      } catch (const InputError& problem) {
        refused = problem.error;
      }
    });
    if (refused) return *refused;
  }
  return point;
}

}  // namespace latchlab
