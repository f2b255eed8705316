#pragma once
// What a scenario may say, as data: each key with its kind of value, default, range and meaning,
// and how it is read and written (fields.h). The reader, the resolved scenario, the JSON Schema,
// the reference page and `latchlab explain` are made from it. Parameters of protocols
// (ProtocolInfo) and constants of NICs (nic_constants.h) have tables of their own.

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
  curve,            // [[450, 1], [3000, 0.5]]: from so many on, this share of a rate
  boolean,
  choice,
  text,
  list,  // of mappings, whose keys follow as PATH[].KEY, or of values
  map,   // its keys follow as PATH.KEY, unless they are the user's own
};

// How a number is written back, where its kind leaves a choice.
enum class Form : std::uint8_t {
  usual,    // 10M, 40%
  plain,    // 10000000
  ppm,      // 100ppm
  decimal,  // 0.4
  quoted,   // 0.4, a text in JSON
};

struct ScenarioKey;
using Keys = std::vector<ScenarioKey>;

// The keys below a key, and the struct that they are read into.
struct Below {
  const Keys& keys;
  const void* spec;
};

// A value in a text; `path` is for messages.
struct Given {
  const ScenarioKey& key;
  const YamlNode& node;
  const std::string& path;
};

struct ScenarioKey {
  std::string path = {};  // dotted; "faults[].at" stands for a key of every item of faults
  KeyKind kind = KeyKind::text;
  std::string fallback = {};              // the default as written; empty: none
  std::string min = {}, max = {};         // inclusive, as written; empty: no bound of its own
  std::vector<std::string> choices = {};  // of a choice
  std::vector<std::string> later = {};    // words that are documented, and refused by this build
  std::string example = {};               // as written; always good
  std::string says = {};                  // a sentence or two
  // Kinds of its mapping (its `kind`; of a topology also "file") that have the key; empty: all.
  std::vector<std::string> when = {};
  bool required = false;       // of a mapping that may have it
  bool nullable = false;       // `null` is a value too
  std::string automatic = {};  // a word in place of a number that the program finds by itself
  std::string short_for = {};  // a mapping may be written as the value of this key of it
  bool supported = true;       // false: documented, and refused by this build

  // ---- reading and writing, in a table of one mapping (there `path` is the name alone) ----
  std::int64_t least = std::numeric_limits<std::int64_t>::min();  // `min` and `max` as numbers
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Form form = Form::usual;
  bool omitted = false;      // rather than written as null
  bool has_default = false;  // although it is required: the mapping may be left out
  // Into, and from, the struct of its mapping. Absent: read, and written, elsewhere.
  std::function<void(const Given& given, void* spec)> read = {};
  std::function<YamlNode(const ScenarioKey& key, const void* spec)> write = {};
  std::function<Below(const void* spec)> below = {};

  std::string_view name() const;              // "at"
  std::string_view mapping() const;           // "faults[]"; "" at the top
  bool fits(std::string_view of_kind) const;  // of its mapping; "": any
};

// In the order in which a scenario is written down.
const Keys& scenario_keys();

// Rows of one path: several only where kinds of the mapping differ in what the key holds.
std::vector<const ScenarioKey*> find_scenario_keys(std::string_view path);

// Names of the keys of a mapping, of this kind of it where it has kinds; "" for the top.
std::vector<std::string> keys_of(std::string_view mapping, std::string_view kind = {});

// Kinds that the keys of a mapping tell apart, in order; none for most.
std::vector<std::string> kinds_of(std::string_view mapping);

// The sections that a sweep may vary, and that decide a point's result.
const std::vector<std::string>& section_names();

ScenarioKey key_of(const ParamSpec& param);  // "protocol.lease"

const char* name_of(KeyKind kind);  // "count"
std::string text_of(const ParamValue& value);

}  // namespace latchlab
