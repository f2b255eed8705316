#pragma once
// NIC descriptions: finding them, applying a scenario's overrides, reading them into a NicModel,
// and writing one back.

#include <string>

#include "core/scenario/scenario.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

// The whole description that platform.nic stands for: a name, a path, {base: X, dotted.key: value},
// or a description written out. Throws InputError; so do all below.
YamlNode expand_nic(const YamlNode& nic, const std::string& directory, const DataDirs& data);

// What platform.nic is when the scenario does not say.
YamlNode default_nic(const Place& place);

// Replaces the value of one constant, given by its dotted key, in a whole description.
void override_nic_constant(YamlNode& description, const std::string& key, const YamlNode& value);

NicModel read_nic(const YamlNode& description);

// The description of `nic`, every constant with its provenance, values in canonical form.
YamlNode write_nic(const NicModel& nic);
// The same without provenance.
YamlNode write_nic_values(const NicModel& nic);

}  // namespace latchlab
