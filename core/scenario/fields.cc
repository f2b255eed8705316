#include "core/scenario/fields.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/base/check.h"
#include "core/scenario/quantities.h"
#include "core/scenario/scenario.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

bool is_signed(const ScenarioKey& key) {
  return key.kind == KeyKind::signed_duration || key.kind == KeyKind::signed_ratio ||
         key.min.starts_with('-');
}

bool is_ratio(const ScenarioKey& key) {
  return key.kind == KeyKind::ratio || key.kind == KeyKind::signed_ratio;
}

NumberKind number_kind(KeyKind kind) {
  switch (kind) {
    case KeyKind::duration:
    case KeyKind::signed_duration:
      return NumberKind::duration;
    case KeyKind::bytes:
      return NumberKind::bytes;
    case KeyKind::ratio:
    case KeyKind::signed_ratio:
      return NumberKind::ratio;
    case KeyKind::bit_rate:
      return NumberKind::bit_rate;
    case KeyKind::factor:
      return NumberKind::factor;
    default:
      return NumberKind::count;
  }
}

Result<std::int64_t> parsed(const ScenarioKey& key, const std::string& text) {
  const bool negative = is_signed(key) && text.starts_with('-');
  Result<std::int64_t> size = parse_number(number_kind(key.kind), negative ? text.substr(1) : text);
  if (!size || !negative) return size;
  return -size.value();
}

const char* sample_of(KeyKind kind) {
  static const char* const samples[] = {"a whole number such as 48", "a duration such as 2us",
                                        "a size such as 64B",        "a ratio such as 40%",
                                        "a rate such as 100Gbps",    "a factor such as 4x"};
  return kind == KeyKind::boolean ? "true or false"
                                  : samples[static_cast<std::size_t>(number_kind(kind))];
}

std::string formatted(const ScenarioKey& key, std::int64_t value) {
  if (key.kind == KeyKind::boolean) return value != 0 ? "true" : "false";
  if (key.kind == KeyKind::choice) return key.choices[static_cast<std::size_t>(value)];
  switch (number_kind(key.kind)) {
    case NumberKind::duration:
      return format_duration({value});
    case NumberKind::bytes:
      return format_bytes(static_cast<std::uint64_t>(value));
    case NumberKind::ratio:
      return key.form == Form::ppm     ? format_ppm(value)
             : key.form == Form::usual ? format_percent(value)
                                       : format_decimal(value);
    case NumberKind::bit_rate:
      return format_bit_rate(value);
    case NumberKind::factor:
      return format_decimal(value) + "x";
    case NumberKind::count:
      break;
  }
  return key.form == Form::plain ? std::to_string(value) : format_count(value);
}

// A scalar; an error for a list suggests a sweep.
const std::string& one_value(const YamlNode& node, const std::string& path,
                             std::string_view expected) {
  if (node.is_sequence() && path.find('.') != std::string::npos)
    reject(node.place,
           "{} holds {}; expected {}. To try several values, list them as sweep.grid.{}", path,
           kind_name(node), expected, path);
  return scalar(node, path, expected);
}

std::int64_t read_word(const ScenarioKey& key, const YamlNode& node, const std::string& path) {
  const std::string& text = one_value(node, path, "one of " + joined(key.choices));
  const auto found = std::find(key.choices.begin(), key.choices.end(), text);
  if (found != key.choices.end()) return found - key.choices.begin();
  if (contains(key.later, text))
    reject(node.place, "{} {} is not supported by this build yet; supported: {}", path, text,
           joined(key.choices));
  reject(node.place, "{} is {}; expected {}{}", path, in_quotes(text), joined(key.choices),
         aside(text, key.choices));
}

std::int64_t checked(const ScenarioKey& key, std::int64_t value, const YamlNode& node,
                     const std::string& path) {
  if (value >= key.least && value <= key.most) return value;
  const auto bound = [&](std::int64_t limit) {
    const std::int64_t size = limit < 0 ? -limit : limit;
    return (limit < 0 ? "-" : "") + (is_ratio(key) ? format_decimal(size) : formatted(key, size));
  };
  if (key.max.empty() && key.most == ScenarioKey().most)
    reject(node.place, "{} is {}; expected at least {}", path, node.text, key.min);
  const bool bare = node.text.find_first_not_of("0123456789.") == std::string::npos;
  const bool percent =
      is_ratio(key) && bare && key.most == kWholePpb && value <= 100 * key.most && value > 0;
  reject(node.place, "{} is {}; allowed: {} to {}{}", path, node.text, bound(key.least),
         bound(key.most), percent ? fmt::format("; did you mean {}%?", node.text) : std::string());
}

// Refuses a key that only other kinds of the mapping have.
void refuse_misplaced(const Keys& keys, const std::string& kind, const YamlEntry& entry,
                      const std::string& path) {
  std::vector<std::string> kinds;
  for (const ScenarioKey& key : keys)
    if (key.path == entry.key)
      for (const std::string& other : key.when)
        if (!contains(kinds, other)) kinds.push_back(other);
  if (kind.empty() || kind == "file" || kinds.empty()) return;
  reject(entry.place,
         "unknown key {} in {} of kind {}: it is for {} {}; change the kind, or "
         "remove the key",
         in_quotes(entry.key), path, kind, kinds.size() == 1 ? "kind" : "kinds", joined(kinds));
}

void refuse_unknown(const Keys& keys, const std::string& kind, const YamlNode& node,
                    const std::string& path) {
  std::vector<std::string> names;
  for (const ScenarioKey& key : keys)
    if (key.fits(kind) && !contains(names, key.path)) names.push_back(key.path);
  for (const YamlEntry& entry : node.entries) {
    if (contains(names, entry.key)) continue;
    refuse_misplaced(keys, kind, entry, path);
    reject(entry.place, "unknown key {}{}{}", in_quotes(entry.key),
           path.empty() ? "" : " in " + path, suggestion(entry.key, names));
  }
}

// The key's value if present; null is accepted only for a nullable key.
const YamlNode* given(const ScenarioKey& key, const YamlNode& node, const std::string& path) {
  const YamlNode* value = node.find(key.path);
  if (value == nullptr && key.required)
    reject(node.place, "{} is missing; add it, for example '{}: {}'", path_of(path, key.path),
           key.path, key.example);
  if (value != nullptr && value->is_null() && !key.nullable)
    reject(value->place, "{} has no value; give one or remove the key", path_of(path, key.path));
  const bool empty =
      value != nullptr && (value->is_null() || (value->is_sequence() && value->items.empty()));
  if (value != nullptr && !key.supported && !empty)
    reject(value->place, "{} is not supported by this build yet; remove the key",
           path_of(path, key.path));
  return value;
}

bool has_kind(const Keys& keys, std::string_view kind) {
  return std::any_of(keys.begin(), keys.end(), [&](const ScenarioKey& key) {
    return !key.when.empty() && (kind.empty() || key.when.front() == kind);
  });
}

// The kind of the mapping; empty if all kinds have the same keys. If the text may omit the kind, it
// is the struct's present kind.
std::string kind_in(const Keys& keys, const YamlNode& node, const std::string& path,
                    const void* spec) {
  if (!has_kind(keys, "")) return "";
  const ScenarioKey& kind = find_key(keys, "kind");
  if (has_kind(keys, "file") && node.find("file") != nullptr) {
    if (const YamlNode* both = node.find(kind.path))
      reject(both->place, path + ": a platform file has no kind; remove one of the two");
    return "file";
  }
  if (node.find(kind.path) == nullptr && !kind.required) return kind.write(kind, spec).text;
  if (node.find(kind.path) == nullptr) refuse_unknown(keys, "", node, path);
  const std::int64_t index = read_word(kind, *given(kind, node, path), path_of(path, kind.path));
  return kind.choices[static_cast<std::size_t>(index)];
}

}  // namespace

std::string path_of(const std::string& mapping, std::string_view key) {
  return mapping.empty() ? std::string(key) : fmt::format("{}.{}", mapping, key);
}

const ScenarioKey& find_key(const Keys& keys, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const ScenarioKey& key) { return key.path == name; });
  LATCHLAB_CHECK(found != keys.end(), "a table of keys lacks " + std::string(name));
  return *found;
}

void read_keys(const Keys& keys, const YamlNode& node, const std::string& path, void* spec) {
  require_map(node, path.empty() ? "the document" : path, "a mapping of keys to values");
  const std::string kind = kind_in(keys, node, path, spec);
  refuse_unknown(keys, kind, node, path);
  for (const ScenarioKey& key : keys) {
    if (!key.fits(kind)) continue;
    const YamlNode* value = given(key, node, path);
    if (value != nullptr && spec != nullptr && key.read && key.supported)
      key.read({key, *value, path_of(path, key.path)}, spec);
  }
}

YamlNode write_keys(const Keys& keys, const void* spec) {
  YamlNode map = yaml_map();
  std::string kind;
  for (const ScenarioKey& key : keys) {
    if (!key.write || !key.fits(kind)) continue;
    YamlNode value = key.write(key, spec);
    if (key.path == "kind") kind = value.is_null() && has_kind(keys, "file") ? "file" : value.text;
    if (value.is_null() && key.path == "kind" && kind == "file") continue;
    if (value.is_null() && key.required) return {};
    const auto absent = [](const YamlEntry& entry) { return entry.value.is_null(); };
    if (key.omitted && std::all_of(value.entries.begin(), value.entries.end(), absent)) continue;
    if (!value.is_null() || key.nullable) map.set(key.path, std::move(value));
  }
  return map;
}

const std::string& scalar(const YamlNode& node, const std::string& path,
                          std::string_view expected) {
  if (!node.is_scalar())
    reject(node.place, "{} holds {}; expected {}", path, kind_name(node), expected);
  if (is_block(node) && expected != "a text")
    reject(node.place, "{} holds {}; expected {}, in one line", path, kind_name(node), expected);
  return node.text;
}

void require_map(const YamlNode& node, const std::string& path, std::string_view expected) {
  if (!node.is_map())
    reject(node.place, "{} holds {}; expected {}", path, kind_name(node), expected);
}

std::int64_t read_number(const Given& given) {
  const auto& [key, node, path] = given;
  if (key.kind == KeyKind::choice) return read_word(key, node, path);
  const std::string& text = one_value(node, path, sample_of(key.kind));
  if (key.kind == KeyKind::boolean) {
    if (text != "true" && text != "false")
      reject(node.place, "{} is {}; expected true or false", path, in_quotes(text));
    return text == "true" ? 1 : 0;
  }
  const Result<std::int64_t> value = parsed(key, text);
  if (!value) reject(node.place, path + ": " + value.error().message);
  return checked(key, value.value(), node, path);
}

YamlNode write_number(const ScenarioKey& key, std::optional<std::int64_t> value) {
  if (!value && !key.automatic.empty()) return yaml_text(key.automatic);
  const bool word = key.kind == KeyKind::choice;
  if (!value || *value < key.least || *value > key.most ||
      (word && (*value < 0 || *value >= std::ssize(key.choices))))
    return {};
  const bool negative = *value < 0 && is_signed(key) && key.kind != KeyKind::count;
  YamlNode node = yaml_text((negative ? "-" : "") + formatted(key, negative ? -*value : *value));
  if (key.kind == KeyKind::boolean)
    node.json = node.text;
  else if (key.kind == KeyKind::ratio && (key.form == Form::usual || key.form == Form::decimal))
    node.json = format_decimal(*value);
  else if (key.kind == KeyKind::count || key.kind == KeyKind::counts ||
           key.kind == KeyKind::some_counts || key.kind == KeyKind::bytes)
    node.json = std::to_string(*value);
  return node;
}

const std::vector<YamlNode>& read_list(const Given& given, std::size_t most) {
  const auto& [key, node, path] = given;
  if (!node.is_sequence() && !node.is_null())
    reject(node.place, "{} holds {}; expected a list such as {}", path, kind_name(node),
           key.example);
  if (node.items.size() > most)
    reject(node.place, "{} has {} entries; at most {} are possible", path, node.items.size(), most);
  return node.items;
}

void read_mapping(const Keys& keys, const Given& given, void* spec) {
  if (given.key.short_for.empty() || !given.node.is_scalar())
    return read_keys(keys, given.node, given.path, spec);
  YamlNode whole = yaml_map(given.node.place);
  whole.set(given.key.short_for, given.node);
  read_keys(keys, whole, given.path, spec);
}

ScenarioKey quantity(KeyKind kind, std::string min, std::string max, Form form) {
  ScenarioKey key{.kind = kind, .min = std::move(min), .max = std::move(max), .form = form};
  if (!key.min.empty()) key.least = parsed(key, key.min).value();
  if (!key.max.empty()) key.most = parsed(key, key.max).value();
  return key;
}

}  // namespace latchlab
