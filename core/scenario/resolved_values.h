#pragma once
// Values as a resolved scenario has them: with their units for people, as plain numbers in JSON.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/scenario/scenario.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab::resolved {

YamlNode literal(std::string yaml, std::string json);
YamlNode number(std::uint64_t value);
YamlNode boolean(bool value);
YamlNode time(Duration value);
YamlNode percent(std::int64_t ppb);
YamlNode exponent(std::int64_t ppb);

// Of the sections that are written elsewhere.
YamlNode write_workload(const WorkloadSpec& workload);
using WriteNic = YamlNode (*)(const NicModel& nic);
YamlNode write_groups(const std::vector<GroupSpec>& groups, WriteNic write);
YamlNode write_clocks(const ClockSpec& clocks);

}  // namespace latchlab::resolved
