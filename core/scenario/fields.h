#pragma once
// The keys of a mapping, each declared once: a row binds a key to a field of the struct that the
// mapping is read into, and says what the key may hold and means.
//
//   const Keys& datagram_keys() {
//     static const Keys keys = rows<DatagramSpec>({
//         {"loss", number(ratio, &DatagramSpec::loss_ppb, "0", "100%"), "0.1%", "This share ..."},
//     });
//     return keys;
//   }
//
// A key's default is what its field holds in a fresh struct. A number outside of its bounds (such
// as 0 cores for "each client has its own") is absent: null where a key is nullable, else not
// written. All that reads throws InputError.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {

// ---- a mapping ----

// Reads what is given, refuses what is unknown, out of place or missing. Without a struct it only
// does the latter.
void read_keys(const Keys& keys, const YamlNode& node, const std::string& path, void* spec);
// Every default visible. Null when a required key is absent: the struct holds no such mapping.
YamlNode write_keys(const Keys& keys, const void* spec);

const ScenarioKey& find_key(const Keys& keys, std::string_view name);

// ---- single values ----

// The text of a scalar, or an error that names the path and says what was expected.
const std::string& scalar(const YamlNode& node, const std::string& path, std::string_view expected);
// A number, of a choice its place among the words. Refused outside of the key's bounds.
std::int64_t read_number(const ScenarioKey& key, const YamlNode& node, const std::string& path);
YamlNode write_number(const ScenarioKey& key, std::optional<std::int64_t> value);
// The items of a list, of so many at the most.
const std::vector<YamlNode>& read_list(const ScenarioKey& key, const YamlNode& node,
                                       const std::string& path, std::size_t most);
std::string path_of(const std::string& mapping, std::string_view key);

// A number with these bounds, as written.
ScenarioKey quantity(KeyKind kind, std::string min = "", std::string max = "",
                     Form form = Form::usual);

// ---- rows ----

// What a key of a mapping that is read into a T may hold.
template <class T>
struct Value {
  ScenarioKey key;
};

enum : unsigned { kRequired = 1, kNullable = 2, kOmitted = 4, kHasDefault = 8, kUnsupported = 16 };

template <class T>
struct Row {
  Row(const char* name, Value<T> value, const char* example, const char* says, unsigned flags = 0,
      std::vector<std::string> when = {})
      : key(std::move(value.key)) {
    key.path = name;
    key.example = example;
    key.says = says;
    key.when = std::move(when);
    key.required = (flags & kRequired) != 0;
    key.nullable = (flags & kNullable) != 0;
    key.omitted = (flags & kOmitted) != 0;
    key.has_default = (flags & kHasDefault) != 0;
    key.supported = (flags & kUnsupported) == 0;
  }
  ScenarioKey key;
};

template <class T>
Keys rows(const std::vector<Row<T>>& table) {
  Keys keys;
  for (const Row<T>& row : table) keys.push_back(row.key);
  return keys;
}

// Of what is read and written elsewhere.
template <class T>
Value<T> said(KeyKind kind) {
  return {{.kind = kind}};
}

template <class M>
void assign(M& field, std::int64_t value) {
  if constexpr (requires { field.reset(); })
    assign(field.emplace(), value);
  else if constexpr (std::is_same_v<M, Duration>)
    field = Duration{value};
  else if constexpr (std::is_enum_v<M> || std::is_same_v<M, bool>)
    field = static_cast<M>(value);
  else  // a bound that follows from other keys is checked later
    field = std::in_range<M>(value) ? static_cast<M>(value) : std::numeric_limits<M>::max();
}

template <class M>
std::optional<std::int64_t> number_of(const M& field) {
  if constexpr (requires { field.has_value(); })
    return field ? number_of(*field) : std::nullopt;
  else if constexpr (std::is_same_v<M, Duration>)
    return field.ps;
  else
    return static_cast<std::int64_t>(field);
}

// `get(spec)` is the number, if there is one; `set(spec, number)`.
template <class T, class Get, class Set>
Value<T> number(KeyKind kind, Get get, Set set, const char* min = "", const char* max = "",
                Form form = Form::usual) {
  Value<T> value{quantity(kind, min, max, form)};
  value.key.read = [set](const ScenarioKey& key, const YamlNode& node, const std::string& path,
                         void* spec) { set(*static_cast<T*>(spec), read_number(key, node, path)); };
  value.key.write = [get](const ScenarioKey& key, const void* spec) {
    return write_number(key, get(*static_cast<const T*>(spec)));
  };
  return value;
}

template <class T, class M>
Value<T> number(KeyKind kind, M T::*field, const char* min = "", const char* max = "",
                Form form = Form::usual) {
  Value<T> value = number<T>(
      kind, [field](const T& spec) { return number_of(spec.*field); }, [](T&, std::int64_t) {}, min,
      max, form);
  value.key.read = [field](const ScenarioKey& key, const YamlNode& node, const std::string& path,
                           void* spec) {
    M& held = static_cast<T*>(spec)->*field;
    held = M{};
    if (!node.is_null()) assign(held, read_number(key, node, path));
  };
  return value;
}

// One of some words, by their order.
template <class T>
Value<T> words(std::vector<std::string> choices, Value<T> value,
               std::vector<std::string> later = {}) {
  value.key.choices = std::move(choices);
  value.key.later = std::move(later);
  return value;
}

template <class T, class M>
Value<T> words(std::vector<std::string> choices, M T::*field, std::vector<std::string> later = {}) {
  return words(std::move(choices), number(KeyKind::choice, field), std::move(later));
}

// A field that has no place in the struct: one word.
template <class T>
Value<T> fixed(const char* word, std::vector<std::string> later = {}) {
  return words<T>({word},
                  number<T>(
                      KeyKind::choice, [](const T&) { return std::optional<std::int64_t>(0); },
                      [](T&, std::int64_t) {}),
                  std::move(later));
}

template <class T>
Value<T> line(std::string T::*field) {
  Value<T> value;
  value.key.read = [field](const ScenarioKey&, const YamlNode& node, const std::string& path,
                           void* spec) {
    static_cast<T*>(spec)->*field = node.is_null() ? "" : scalar(node, path, "a text");
  };
  value.key.write = [field](const ScenarioKey& key, const void* spec) {
    const std::string& text = static_cast<const T*>(spec)->*field;
    return text.empty() && !key.required ? YamlNode() : yaml_text(text);
  };
  return value;
}

// A mapping of its own; `short_for`: the key that it may be shortened to.
template <class T, class S>
Value<T> nested(S T::*field, const Keys& (*keys)(), const char* short_for = "") {
  Value<T> value{{.kind = KeyKind::map, .short_for = short_for}};
  value.key.read = [field, keys](const ScenarioKey& key, const YamlNode& node,
                                 const std::string& path, void* spec) {
    static const T usual{};
    S& held = static_cast<T*>(spec)->*field;
    held = usual.*field;
    if (node.is_null()) return;
    if (key.short_for.empty() || !node.is_scalar()) return read_keys(keys(), node, path, &held);
    YamlNode whole = yaml_map();
    whole.place = node.place;
    whole.set(key.short_for, node);
    read_keys(keys(), whole, path, &held);
  };
  value.key.write = [field, keys](const ScenarioKey&, const void* spec) {
    return write_keys(keys(), &(static_cast<const T*>(spec)->*field));
  };
  value.key.below = [field, keys](const void* spec) {
    return Below{keys(), &(static_cast<const T*>(spec)->*field)};
  };
  return value;
}

// A mapping of keys of the same struct, in place of a single value.
template <class T>
Value<T> either(Value<T> single, const Keys& (*keys)()) {
  Value<T> value = single;
  value.key.read = [single, keys](const ScenarioKey& key, const YamlNode& node,
                                  const std::string& path, void* spec) {
    if (node.is_map()) return read_keys(keys(), node, path, spec);
    single.key.read(key, node, path, spec);
  };
  value.key.write = [single, keys](const ScenarioKey& key, const void* spec) {
    YamlNode map = write_keys(keys(), spec);
    return map.is_null() ? single.key.write(key, spec) : map;
  };
  value.key.below = [keys](const void* spec) { return Below{keys(), spec}; };
  return value;
}

template <class T, class S>
Value<T> items(std::vector<S> T::*field, const Keys& (*keys)(), std::size_t most) {
  Value<T> value{{.kind = KeyKind::list}};
  value.key.read = [=](const ScenarioKey& key, const YamlNode& node, const std::string& path,
                       void* spec) {
    std::vector<S>& held = static_cast<T*>(spec)->*field;
    held.clear();
    for (const YamlNode& item : read_list(key, node, path, most)) {
      const std::string place = path_of(path, std::to_string(held.size()));
      read_keys(keys(), item, place, &held.emplace_back());
    }
  };
  value.key.write = [=](const ScenarioKey&, const void* spec) {
    YamlNode list = yaml_sequence();
    for (const S& item : static_cast<const T*>(spec)->*field)
      list.items.push_back(write_keys(keys(), &item));
    return list;
  };
  value.key.below = [keys](const void*) {
    static const S usual{};
    return Below{keys(), &usual};
  };
  return value;
}

// A list of numbers; empty: absent.
template <class T>
Value<T> numbers(std::vector<std::int64_t> T::*field, const char* min, const char* max,
                 std::size_t most) {
  Value<T> value{quantity(KeyKind::counts, min, max)};
  value.key.read = [=](const ScenarioKey& key, const YamlNode& node, const std::string& path,
                       void* spec) {
    std::vector<std::int64_t>& held = static_cast<T*>(spec)->*field;
    held.clear();
    for (const YamlNode& item : read_list(key, node, path, most))
      held.push_back(read_number(key, item, path));
  };
  value.key.write = [=](const ScenarioKey& key, const void* spec) {
    YamlNode list = yaml_sequence();
    for (const std::int64_t each : static_cast<const T*>(spec)->*field)
      list.items.push_back(write_number(key, each));
    return list.items.empty() ? YamlNode() : list;
  };
  return value;
}

}  // namespace latchlab
