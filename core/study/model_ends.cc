#include "core/study/model_ends.h"

#include <algorithm>
#include <optional>

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

ConstantEnds ends_of(NicModel nic) {
  ConstantEnds ends;
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

bool same_constant(const ConstantEnd& a, const ConstantEnd& b) {
  return a.nic == b.nic && a.origin.key == b.origin.key;
}

}  // namespace

ConstantEnds model_ends(Point point) {
  ConstantEnds all;
  std::vector<std::string> seen;
  for_each_nic(point, [&](const NicModel& nic) {
    if (std::find(seen.begin(), seen.end(), nic.name) != seen.end()) return;
    seen.push_back(nic.name);
    const ConstantEnds ends = ends_of(nic);
    all.insert(all.end(), ends.begin(), ends.end());
  });
  return all;
}

std::size_t constants_in(const ConstantEnds& ends) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (i == 0 || !same_constant(ends[i - 1], ends[i])) ++count;
  return count;
}

std::vector<NicSection> sections_of(const ConstantEnds& ends) {
  const auto section = [](const ConstantEnd& end) {
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

Result<Point> with_ends(Point point, const ConstantEnds& variant) {
  for (const ConstantEnd& end : variant) {
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
