#pragma once
// The constants of a NIC description: one row for each field of NicModel that is read from a file.

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
std::vector<std::string> nic_keys(const std::string& section);  // names; "" for all dotted keys

// Constants of one kind, which one factor scales: a factor multiplies what its name says.
struct NicGroup {
  std::string name;
  std::string says;
  bool per_second;  // the name says how many per second, and the constants how long each takes
  std::vector<std::string> keys;
};
const std::vector<NicGroup>& nic_groups();
const ScenarioKey& factor_key();  // 4x

// What a range bounds: the number itself, of a curve the rate at its end.
std::int64_t number_in(const NicModel& nic, const NicConstant& constant);
// Sets it to what a bound of its range says. Throws InputError.
void set_number(NicModel& nic, const NicConstant& constant, const YamlNode& bound);

// A share of a rate, such as one end of a curve's range.
const ScenarioKey& rate_share();

// "published", "fitted", "assumed": each ConstantStatus, as descriptions spell it.
const std::vector<std::string>& status_names();
const std::string& name_of(ConstantStatus status);

}  // namespace latchlab
