#pragma once
// Declares each key of a mapping once: a row binds the key to a field of the struct that the
// mapping is read into, and states the key's type, bounds, example and meaning.
//
//   const Keys& datagram_keys() {
//     static const Keys keys = rows<DatagramSpec>({
//         {"loss", number(ratio, &DatagramSpec::loss_ppb, "0", "100%"), "0.1%", "This share ..."},
//     });
//     return keys;
//   }
//
// A key's default is the value of its field in a default-constructed struct. A number out of bounds
// (such as 0 cores for "each client has its own") means that the value is absent: it is written as
// null if the key is nullable, else not at all. Every function that reads throws InputError.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/split.h"
#include "core/base/time.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {

// ---- a mapping ----

// Reads the keys that are present; refuses keys that are unknown, misplaced or missing. With a null
// `spec` it only checks.
void read_keys(const Keys& keys, const YamlNode& node, const std::string& path, void* spec);
// Writes every key, defaults included. Returns null if a required key is absent, because the struct
// then holds no such mapping.
YamlNode write_keys(const Keys& keys, const void* spec);

const ScenarioKey& find_key(const Keys& keys, std::string_view name);

// ---- single values ----

// The text of a scalar; throws an error that names the path and the expected value otherwise.
const std::string& scalar(const YamlNode& node, const std::string& path, std::string_view expected);
// Throws the same error unless the node is a mapping.
void require_map(const YamlNode& node, const std::string& path, std::string_view expected);
// A number; for a choice, the index of the word. Refused outside of the key's bounds.
std::int64_t read_number(const Given& given);
YamlNode write_number(const ScenarioKey& key, std::optional<std::int64_t> value);
// The items of a list of at most `most` items.
const std::vector<YamlNode>& read_list(const Given& given, std::size_t most);
// Reads a mapping, or the value of its `short_for` key alone.
void read_mapping(const Keys& keys, const Given& given, void* spec);
std::string path_of(const std::string& mapping, std::string_view key);

// A number with these inclusive bounds, written as in a scenario.
ScenarioKey quantity(KeyKind kind, std::string min = "", std::string max = "",
                     Form form = Form::usual);

// ---- rows ----

// The type of a key in a mapping that is read into a T.
template <class T>
struct Value {
  ScenarioKey key;
};

template <class T, class Read, class Write>
Value<T> value_of(ScenarioKey key, Read read, Write write) {
  key.read = [read](const Given& given, void* spec) { read(given, *static_cast<T*>(spec)); };
  key.write = [write](const ScenarioKey& row, const void* spec) {
    return write(row, *static_cast<const T*>(spec));
  };
  return {std::move(key)};
}

// A key that other code reads and writes.
template <class T>
Value<T> said(KeyKind kind) {
  return {{.kind = kind}};
}

// A key that other code reads, after the rest of the mapping is known.
template <class T>
Value<T> read_later(Value<T> value) {
  value.key.read = {};
  return value;
}

enum : unsigned { kRequired = 1, kNullable = 2, kOmitted = 4, kHasDefault = 8, kUnsupported = 16 };

template <class T>
struct Row : ScenarioKey {
  // `kinds`: the kinds of the mapping that have this key, such as "pause drift".
  Row(const char* name, Value<T> value, const char* an_example, const char* meaning,
      const char* kinds)
      : Row(name, std::move(value), an_example, meaning, 0, kinds) {}
  Row(const char* name, Value<T> value, const char* an_example, const char* meaning,
      unsigned flags = 0, const char* kinds = "")
      : ScenarioKey(std::move(value.key)) {
    path = name;
    example = an_example;
    says = meaning;
    if (*kinds != '\0') when = split(kinds, ' ');
    required = (flags & kRequired) != 0;
    nullable = (flags & kNullable) != 0;
    omitted = (flags & kOmitted) != 0;
    has_default = (flags & kHasDefault) != 0;
    supported = (flags & kUnsupported) == 0;
  }
};

template <class T>
Keys rows(const std::vector<Row<T>>& table) {
  return {table.begin(), table.end()};
}

template <class M>
void assign(M& field, std::int64_t value) {
  if constexpr (requires { field.reset(); })
    assign(field.emplace(), value);
  else if constexpr (std::is_same_v<M, Duration>)
    field = Duration{value};
  else if constexpr (std::is_enum_v<M> || std::is_same_v<M, bool>)
    field = static_cast<M>(value);
  else  // a bound that depends on other keys is checked later
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

template <class T, class M>
Value<T> number(KeyKind kind, M T::*field, const char* min = "", const char* max = "",
                Form form = Form::usual) {
  return value_of<T>(
      quantity(kind, min, max, form),
      [field](const Given& given, T& spec) {
        spec.*field = M{};
        const std::string& word = given.key.automatic;
        if (!word.empty() && given.node.is_scalar() && given.node.text == word) return;
        if (!given.node.is_null()) assign(spec.*field, read_number(given));
      },
      [field](const ScenarioKey& key, const T& spec) {
        return write_number(key, number_of(spec.*field));
      });
}

// A number, or `word` to let the program choose the value.
template <class T>
Value<T> or_word(const char* word, Value<T> value) {
  value.key.automatic = word;
  return value;
}

// `get(spec)` returns the number, or no value; `set(spec, number)` stores it.
template <class T, class Get, class Set>
Value<T> number(KeyKind kind, Get get, Set set, const char* min = "", const char* max = "") {
  return value_of<T>(
      quantity(kind, min, max),
      [set](const Given& given, T& spec) { set(spec, read_number(given)); },
      [get](const ScenarioKey& key, const T& spec) { return write_number(key, get(spec)); });
}

// One of `choices`, stored as its index. `later`: words that are documented but that this build
// refuses.
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

// The same if the index is not the number that the field stores.
template <class T, class Get, class Set>
Value<T> words(std::vector<std::string> choices, Get get, Set set) {
  return words(std::move(choices), number<T>(KeyKind::choice, get, set));
}

template <class T>
Value<T> line(std::string T::*field) {
  return value_of<T>(
      {},
      [field](const Given& given, T& spec) {
        spec.*field = given.node.is_null() ? "" : scalar(given.node, given.path, "a text");
      },
      [field](const ScenarioKey& key, const T& spec) {
        const bool absent = (spec.*field).empty() && !key.required;
        return absent ? YamlNode() : yaml_text(spec.*field);
      });
}

// A nested mapping. `short_for`: the key whose value may stand for the whole mapping.
template <class T, class S>
Value<T> nested(S T::*field, const Keys& (*keys)(), const char* short_for = "") {
  Value<T> value = value_of<T>(
      {.kind = KeyKind::map, .short_for = short_for},
      [field, keys](const Given& given, T& spec) {
        static const T usual{};
        spec.*field = usual.*field;
        if (!given.node.is_null()) read_mapping(keys(), given, &(spec.*field));
      },
      [field, keys](const ScenarioKey&, const T& spec) {
        return write_keys(keys(), &(spec.*field));
      });
  value.key.below = [field, keys](const void* spec) {
    return Below{keys(), &(static_cast<const T*>(spec)->*field)};
  };
  return value;
}

// A single value, or in its place a mapping whose keys belong to the same struct.
template <class T>
Value<T> either(const Value<T>& single, const Keys& (*keys)()) {
  Value<T> value = single;
  value.key.read = [single, keys](const Given& given, void* spec) {
    if (given.node.is_map()) return read_keys(keys(), given.node, given.path, spec);
    single.key.read(given, spec);
  };
  value.key.write = [single, keys](const ScenarioKey& key, const void* spec) {
    YamlNode map = write_keys(keys(), spec);
    return map.is_null() ? single.key.write(key, spec) : map;
  };
  value.key.below = [keys](const void* spec) { return Below{keys(), spec}; };
  return value;
}

// A list; `take(given, item)` reads an item and `give(key, item)` writes it.
template <class T, class S, class Take, class Give>
Value<T> list_of(ScenarioKey key, std::vector<S> T::*field, std::size_t most, Take take,
                 Give give) {
  return value_of<T>(
      std::move(key),
      [=](const Given& given, T& spec) {
        (spec.*field).clear();
        for (const YamlNode& item : read_list(given, most)) {
          const std::string path = path_of(given.path, std::to_string((spec.*field).size()));
          take({given.key, item, path}, (spec.*field).emplace_back());
        }
      },
      [=](const ScenarioKey& row, const T& spec) {
        YamlNode list = yaml_sequence();
        for (const S& item : spec.*field) list.items.push_back(give(row, item));
        return list;
      });
}

template <class T, class S>
Value<T> items(std::vector<S> T::*field, const Keys& (*keys)(), std::size_t most) {
  Value<T> value = list_of(
      {.kind = KeyKind::list}, field, most,
      [keys](const Given& given, S& item) { read_keys(keys(), given.node, given.path, &item); },
      [keys](const ScenarioKey&, const S& item) { return write_keys(keys(), &item); });
  value.key.below = [keys](const void*) {
    static const S usual{};
    return Below{keys(), &usual};
  };
  return value;
}

template <class T>
Value<T> numbers(std::vector<std::int64_t> T::*field, const char* min, const char* max,
                 std::size_t most) {
  return list_of(
      quantity(KeyKind::counts, min, max), field, most,
      [](const Given& given, std::int64_t& number) { number = read_number(given); },
      [](const ScenarioKey& key, std::int64_t number) { return write_number(key, number); });
}

}  // namespace latchlab
