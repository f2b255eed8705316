#pragma once
// The keys of a scenario as data: type, default, range and meaning of each key, and how it is read
// and written (fields.h). The reader, the resolved scenario, the JSON Schema, the reference page
// and `latchlab explain` are generated from this table. Parameters of protocols (ProtocolInfo) and
// constants of NICs (nic_constants.h) have their own tables.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/params.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

enum class KeyKind : std::uint8_t {
  count,            // 48, 10M
  counts,           // a list of counts
  some_counts,      // a count, or a list of them
  duration,         // 2us
  signed_duration,  // -10us
  bytes,            // 64B
  ratio,            // 40%, 0.4, 100ppm
  signed_ratio,     // -200ppm
  figure,           // a measured value: 278.3k, 2.05us, 94%
  bit_rate,         // 100Gbps
  factor,           // 4x
  curve,            // [[450, 1], [3000, 0.5]]: [QPs, fraction of a rate]
  boolean,
  choice,
  text,
  list,  // of mappings, whose keys follow as PATH[].KEY, or of values
  map,   // its keys follow as PATH.KEY, unless the user names them
};

// How a number is written, if its kind allows several forms.
enum class Form : std::uint8_t {
  usual,    // 10M, 40%
  plain,    // 10000000
  ppm,      // 100ppm
  decimal,  // 0.4
  quoted,   // 0.4, as a string in JSON
};

struct ScenarioKey;
using Keys = std::vector<ScenarioKey>;

// The keys below a key, and the struct that they are read into.
struct Below {
  const Keys& keys;
  const void* spec;
};

// A value in the text; `path` is for messages.
struct Given {
  const ScenarioKey& key;
  const YamlNode& node;
  const std::string& path;
};

struct ScenarioKey {
  std::string path = {};  // dotted; "faults[].at" is the key of every item of faults
  KeyKind kind = KeyKind::text;
  std::string fallback = {};              // the default as written; empty: none
  std::string min = {}, max = {};         // inclusive, as written; empty: no bound
  std::vector<std::string> choices = {};  // the words of a choice
  std::vector<std::string> later = {};    // words that are documented but that this build refuses
  std::string example = {};               // as written; always valid
  std::string says = {};                  // the description, a sentence or two
  // The kinds of its mapping that have the key (the mapping's `kind`; "file" for a topology from a
  // file); empty: all.
  std::vector<std::string> when = {};
  bool required = false;       // in a mapping that may have it
  bool nullable = false;       // `null` is allowed
  std::string automatic = {};  // in place of a number: the program chooses the value
  std::string short_for = {};  // the key whose value may stand for this mapping
  bool supported = true;       // false: documented, but refused by this build

  // ---- reading and writing, in the table of one mapping (where `path` is the name alone) ----
  std::int64_t least = std::numeric_limits<std::int64_t>::min();  // `min` and `max` as numbers
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Form form = Form::usual;
  bool omitted = false;      // instead of writing null
  bool has_default = false;  // although required, because the mapping may be absent
  // Into and from the struct of its mapping. Absent: other code reads and writes the key.
  std::function<void(const Given& given, void* spec)> read = {};
  std::function<YamlNode(const ScenarioKey& key, const void* spec)> write = {};
  std::function<Below(const void* spec)> below = {};

  std::string_view name() const;              // "at"
  std::string_view mapping() const;           // "faults[]"; "" at the top
  bool fits(std::string_view of_kind) const;  // a mapping of this kind has it; "": any
};

// In the order in which a scenario is written.
const Keys& scenario_keys();

// The rows of a path: several if the value differs between kinds of the mapping.
std::vector<const ScenarioKey*> find_scenario_keys(std::string_view path);

// The names of a mapping's keys, for one kind of it if given; "": the top.
std::vector<std::string> keys_of(std::string_view mapping, std::string_view kind = {});

// The kinds that distinguish the keys of a mapping, in order; empty for most mappings.
std::vector<std::string> kinds_of(std::string_view mapping);

// The sections that a sweep may vary and that determine a point's result.
const std::vector<std::string>& section_names();

ScenarioKey key_of(const ParamSpec& param);  // "protocol.lease"

const char* name_of(KeyKind kind);  // "count"
std::string text_of(const ParamValue& value);

}  // namespace latchlab
