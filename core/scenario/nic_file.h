#pragma once
// NIC descriptions: finding them, applying a scenario's overrides, reading them into a NicModel,
// and writing one back.

#include <string>

#include "core/scenario/nic_constants.h"
#include "core/scenario/scenario.h"
#include "core/scenario/text_file.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

// The whole description that platform.nic stands for: a name, a path, {base: X, name: Y,
// dotted.key: value, scale: {...}}, or a description written out. Throws InputError; so do all
// below.
YamlNode expand_nic(const YamlNode& nic, const Files& files);

// What people call it, of a platform.nic as written: "connectx-5", "connectx-5 atomic.window=48".
std::string nic_label(const YamlNode& nic);

// What platform.nic is when the scenario does not say.
inline constexpr const char* kUsualNic = "connectx-5";
YamlNode default_nic(const Place& place);

// Replaces the value of one constant, given by its dotted key, in a whole description.
void override_nic_constant(YamlNode& description, const std::string& key, const YamlNode& value);

// Multiplies constants, by group or dotted key, as they are now; with {} nothing changes.
void scale_nic(YamlNode& description, const YamlNode& scale);
// A constant of a description; `place`: of what changes it, where it is then said to stand.
YamlNode& nic_constant_in(YamlNode& description, const NicConstant& constant, const Place& place);

// A description may say `base: NAME` and leave out constants that nobody has measured: they are
// then those of NAME, as assumed, with its ranges, or, of a published time or rate, half to twice
// the value.
YamlNode complete_nic(YamlNode description, const YamlNode& base);

NicModel read_nic(const YamlNode& description);

// The description of `nic`, every constant with its provenance, values in canonical form; in JSON
// values alone.
YamlNode write_nic(const NicModel& nic);

}  // namespace latchlab
