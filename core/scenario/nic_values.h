#pragma once
// The value of one constant of a NIC, between its text and its field. All throw InputError.

#include <cstdint>

#include "core/scenario/nic_constants.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

// Reads `value` into the constant's field. The answer is what its range bounds: the number itself,
// for a curve the rate at its end in parts per billion.
std::int64_t read_nic_value(const NicConstant& constant, const YamlNode& value, NicModel& nic);

// One end of the constant's range, comparable with the answer above.
std::int64_t read_nic_bound(const NicConstant& constant, const YamlNode& value);

// In canonical form, with its JSON form.
YamlNode write_nic_value(const NicModel& nic, const NicConstant& constant);

}  // namespace latchlab
