#pragma once
// A YAML document as plain values with their places, for the scenario reader, overrides and sweeps.
// Copies are deep.
//
// parse_yaml refuses, with the place, input that no scenario needs and that hostile text uses: more
// than 2 MiB, bytes that are not text, nesting beyond 64 levels, more than 100,000 nodes after
// aliases are expanded, several documents, tags, duplicate keys, and keys that are not plain words.

#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/input_error.h"

namespace latchlab {

inline constexpr std::size_t kLongestYamlBytes = 2u << 20;

enum class YamlKind { null, scalar, sequence, map };

struct YamlEntry;

struct YamlNode {
  YamlKind kind = YamlKind::null;
  std::string text;                // scalar
  std::vector<YamlNode> items;     // sequence
  std::vector<YamlEntry> entries;  // map, in text order; keys are unique
  SourceLocation place;
  std::string json;  // its JSON form; empty: the same tree, scalars as strings

  bool is_null() const { return kind == YamlKind::null; }
  bool is_scalar() const { return kind == YamlKind::scalar; }
  bool is_sequence() const { return kind == YamlKind::sequence; }
  bool is_map() const { return kind == YamlKind::map; }

  const YamlNode* find(std::string_view key) const;  // in a map; nullptr: no such key
  YamlNode* find(std::string_view key);
  YamlNode& set(std::string key, YamlNode value);  // replaces or appends
  void erase(std::string_view key);
};

struct YamlEntry {
  std::string key;
  SourceLocation place;
  YamlNode value;
};

// The size of a tree including its keys, which is what an alias would copy.
struct YamlSize {
  std::size_t nodes = 0;
  std::size_t bytes = 0;  // of text
};
YamlSize size_of(const YamlNode& node);

YamlNode yaml_node(YamlKind kind, SourceLocation place);
YamlNode yaml_text(std::string text, SourceLocation place = {});
YamlNode yaml_map(SourceLocation place = {});
YamlNode yaml_sequence(SourceLocation place = {});

// The value at a dotted path through mappings; nullptr: none.
const YamlNode* find_path(const YamlNode& root, std::string_view path);
YamlNode* find_path(YamlNode& root, std::string_view path);

// Throws InputError. `source` names the text in places; `has_lines` is false for an override.
YamlNode parse_yaml(const std::string& text, const std::string& source, bool has_lines = true);

// Block YAML with short collections in flow form. The same tree always gives the same bytes, and
// parse_yaml reads them back into the same tree.
std::string emit_yaml(const YamlNode& node);
std::string emit_yaml_flow(const YamlNode& node);  // one line
std::string emit_json(const YamlNode& node);       // one line

bool is_block(const YamlNode& node);          // its text has several lines
const char* kind_name(const YamlNode& node);  // "a mapping", for messages

}  // namespace latchlab
