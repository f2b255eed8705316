#pragma once
// NIC descriptions: finds them, applies a scenario's overrides, reads them into a NicModel and
// writes them back. All functions throw InputError.

#include <string>

#include "core/scenario/nic_constants.h"
#include "core/scenario/scenario.h"
#include "core/scenario/text_file.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

// The whole description for a value of platform.nic: a name, a path, {base: X, name: Y, dotted.key:
// value, scale: {...}}, or a description written out.
YamlNode expand_nic(const YamlNode& nic, const Files& files);

// The label of a platform.nic as written: "connectx-5", "connectx-5 atomic.window=48".
std::string nic_label(const YamlNode& nic);

// The default of platform.nic.
inline constexpr const char* kUsualNic = "connectx-5";
YamlNode default_nic(const SourceLocation& place);

// Replaces the value of one constant, given by its dotted key, in a whole description.
void override_nic_constant(YamlNode& description, const std::string& key, const YamlNode& value);

// Gives a constant of a description another value, and notes the one that it had first.
void replace_nic_value(YamlNode& constant, YamlNode value);

// Multiplies the present values of constants, given by group or dotted key.
void scale_nic(YamlNode& description, const YamlNode& scale);
// A constant of a description. Its place becomes `place`, the location of the change.
YamlNode& nic_constant_in(YamlNode& description, const NicConstant& constant,
                          const SourceLocation& place);

// Puts the constants of a file in models/cpu/stacks, which say what software costs, in place of
// those in a whole description. Those that the scenario has replaced or scaled stay. Returns
// whether that software learns of completions by event.
bool use_software(YamlNode& description, const YamlNode& name, const Files& files);

// A description with `base: NAME` may omit constants that were not measured. They are taken from
// NAME with status assumed and NAME's range. A published time or rate without a range gets half to
// twice its value as its range.
YamlNode complete_nic(YamlNode description, const YamlNode& base);

NicModel read_nic(const YamlNode& description);

// The description of `nic`: every constant with its provenance, values in canonical form. Its JSON
// form has the values alone.
YamlNode write_nic(const NicModel& nic);

}  // namespace latchlab
