#pragma once
// What a scenario may say, as data: each key with its kind of value, default, range and meaning.
// The reader takes from it which keys a section has; the JSON Schema, the reference page and
// `latchlab explain` are made from it. Parameters of protocols (ProtocolInfo) and constants of NICs
// (nic_constants.h) have tables of their own.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/params.h"
#include "core/scenario/nic_constants.h"

namespace latchlab {

enum class KeyKind : std::uint8_t {
  count,            // 48, 10M
  counts,           // a list of counts
  duration,         // 2us
  signed_duration,  // -10us
  bytes,            // 64B
  ratio,            // 40%, 0.4, 100ppm
  signed_ratio,     // -200ppm
  figure,           // a measured value: 278.3k, 2.05us, 94%
  bit_rate,         // 100Gbps
  curve,            // [[450, 1], [3000, 0.5]]: from so many on, this share of a rate
  boolean,
  choice,
  text,
  list,  // of mappings, whose keys follow as PATH[].KEY, or of values
  map,   // its keys follow as PATH.KEY, unless they are the user's own
};

struct ScenarioKey {
  std::string path;  // dotted; "faults[].at" stands for a key of every item of faults
  KeyKind kind = KeyKind::text;
  std::string fallback = {};              // the default as written; empty: none
  std::string min = {}, max = {};         // inclusive, as written; empty: no bound of its own
  std::vector<std::string> choices = {};  // of a choice
  std::string example;                    // as written; always good
  std::string says;                       // a sentence or two
  // Kinds of its mapping (its `kind`; of a topology also "file") that have the key; empty: all.
  std::vector<std::string> when = {};
  bool required = false;       // of a mapping that may have it
  bool nullable = false;       // `null` is a value too
  std::string short_for = {};  // a mapping may be written as the value of this key of it
  bool supported = true;       // false: documented, and refused by this build

  std::string_view name() const;     // "at"
  std::string_view mapping() const;  // "faults[]"; "" at the top
};

// In the order in which a scenario is written down.
const std::vector<ScenarioKey>& scenario_keys();

// Rows of one path: several only where kinds of the mapping differ in what the key holds.
std::vector<const ScenarioKey*> find_scenario_keys(std::string_view path);

// Names of the keys of a mapping, of this kind of it where it has kinds; "" for the top.
std::vector<std::string> keys_of(std::string_view mapping, std::string_view kind = {});

// Kinds that the keys of a mapping tell apart, in order; none for most.
std::vector<std::string> kinds_of(std::string_view mapping);

ScenarioKey key_of(const ParamSpec& param);       // "protocol.lease"
ScenarioKey key_of(const NicConstant& constant);  // "platform.nic.atomic.window"

const char* name_of(KeyKind kind);  // "count"
std::string text_of(const ParamValue& value);

// ---- parts of the table, one for each file ----

std::vector<ScenarioKey> platform_keys();
std::vector<ScenarioKey> work_keys();  // locks, workload, groups, protocol, run
std::vector<ScenarioKey> section_keys();
std::vector<ScenarioKey> arrival_keys();
std::vector<ScenarioKey> group_keys();
std::vector<ScenarioKey> fault_keys();
std::vector<ScenarioKey> evaluation_keys();  // sweep, expect, report

// A key of the items of `list`, which only items of these kinds have.
ScenarioKey item_key(const char* list, const char* name, KeyKind kind,
                     std::vector<std::string> when, const char* example, const char* says);
ScenarioKey needed(ScenarioKey key);  // the same, required

}  // namespace latchlab
