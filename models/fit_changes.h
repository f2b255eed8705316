#pragma once
// Reads NIC constants, their values and changes of them from a calibration file. All functions
// throw InputError.

#include <string>

#include "core/scenario/yaml_tree.h"
#include "models/fit_spec.h"

namespace latchlab {

std::string read_constant_key(const YamlNode& node, const std::string& path);
double read_constant_value(const std::string& constant, const YamlNode& node,
                           const std::string& path);
NicChanges read_changes(const YamlNode* node, const std::string& path);

}  // namespace latchlab
