#pragma once
// The constants of a NIC description: one row for each field of NicModel that a file sets.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/scenario/nic.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

struct NicConstant {
  using Field = std::variant<Duration NicModel::*, std::int64_t NicModel::*,
                             std::vector<RatePoint> NicModel::*>;
  // `dotted`: "atomic.window".
  NicConstant(const std::string& dotted, Field in, const char* says,
              KeyKind kind = KeyKind::duration, const char* min = "");

  std::string section;
  std::string name;
  Field field;
  ScenarioKey as_key;  // "platform.nic.atomic.window"; reads and writes a NicModel

  std::string key() const { return section + "." + name; }
};

const std::vector<NicConstant>& nic_constants();  // in the order of the file
const NicConstant* find_nic_constant(const std::string& key);
std::vector<std::string> nic_sections();
std::vector<std::string> nic_keys(const std::string& section);  // names; "": all dotted keys

// Constants that one factor scales together; the factor multiplies the quantity in the group's
// name.
struct NicGroup {
  std::string name;
  std::string says;
  bool per_second;  // the factor scales a rate: times are divided by it
  std::vector<std::string> keys;
};
const std::vector<NicGroup>& nic_groups();
const ScenarioKey& factor_key();  // 4x

// The number that a range bounds: the constant itself, or for a curve the rate at its last point.
std::int64_t number_in(const NicModel& nic, const NicConstant& constant);
// Sets that number to a bound of the constant's range. Throws InputError.
void set_number(NicModel& nic, const NicConstant& constant, const YamlNode& bound);

// The key of a fraction of a rate, such as a bound of a curve's range.
const ScenarioKey& rate_share();

// The names of each ConstantStatus in a description: "published", "fitted", "assumed".
const std::vector<std::string>& status_names();
const std::string& name_of(ConstantStatus status);

}  // namespace latchlab
