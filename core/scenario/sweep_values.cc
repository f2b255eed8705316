// The values of an axis: ranges such as {from: 1, to: 256, steps: 9, scale: log} in place of a
// list, and the names of values.

#include <algorithm>

#include "core/base/fixed_math.h"
#include "core/scenario/fields.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/nic_file.h"
#include "core/scenario/quantities.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/sweep.h"

namespace latchlab {
namespace {

struct SweptRange {
  std::string from, to;
  std::int64_t steps = 0;
  bool log = false;
};

const Keys& values_keys() {
  using Range = SweptRange;
  static const Keys keys = rows<Range>({
      {"from", line(&Range::from), "1", "", kRequired},
      {"to", line(&Range::to), "256", "", kRequired},
      {"steps", number(KeyKind::count, &Range::steps, "2", "10000"), "9", "", kRequired},
      {"scale", words({"linear", "log"}, &Range::log), "log", ""},
  });
  return keys;
}

// The number's type from its key; for a lock's parameter, from its text.
ScenarioKey number_at(const std::string& path, const SweptRange& range) {
  const Keys keys = keys_at(path);
  if (!keys.empty()) return keys.front();
  return quantity(parse_duration(range.from) ? KeyKind::duration : KeyKind::count);
}

bool is_whole(const ScenarioKey& key) {
  return key.kind == KeyKind::count || key.kind == KeyKind::bytes;
}

bool is_duration(const ScenarioKey& key) {
  return key.kind == KeyKind::duration || key.kind == KeyKind::signed_duration;
}

void check_kind(const ScenarioKey& key, const std::string& path, const YamlNode& range) {
  using enum KeyKind;
  static const std::vector<KeyKind> numbers = {count, bytes,        duration, signed_duration,
                                               ratio, signed_ratio, bit_rate, factor};
  if (std::find(numbers.begin(), numbers.end(), key.kind) == numbers.end())
    reject(range.place, "sweep of {}: a range needs a number, and this is a {}; list its values",
           path, name_of(key.kind));
}

// The exact value before rounding. Integer arithmetic gives the same result on every machine.
std::int64_t value_at(const SweptRange& range, std::int64_t from, std::int64_t to,
                      std::int64_t at) {
  const auto last = static_cast<std::uint64_t>(range.steps - 1);
  const auto done = static_cast<std::uint64_t>(at);
  if (!range.log) {
    const std::uint64_t span = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    return from + static_cast<std::int64_t>((static_cast<Wide>(span) * done + last / 2) / last);
  }
  const std::uint64_t octaves_q58 =
      log2_q58(static_cast<std::uint64_t>(to)) - log2_q58(static_cast<std::uint64_t>(from));
  const Wide share_q64 = exp2_negative_q64(static_cast<Wide>(octaves_q58) * (last - done) / last);
  return static_cast<std::int64_t>((static_cast<Wide>(to) * share_q64 + (Wide{1} << 63)) >> 64);
}

// Rounds to a power of ten that is at most a thousandth of the step.
std::int64_t rounded(std::int64_t value, std::int64_t step) {
  std::int64_t unit = 1;
  while (unit <= step / 10'000) unit *= 10;
  const std::int64_t rest = (value % unit + unit) % unit;
  return value - rest + (rest * 2 >= unit ? unit : 0);
}

// A path as in the table of keys: "faults.0.at" becomes "faults[].at".
std::string key_path(const std::string& path) {
  std::string key;
  for (const std::string& part : split(path, '.')) {
    const bool number = part.find_first_not_of("0123456789") == std::string::npos;
    key += number ? "[]" : (key.empty() ? "" : ".") + part;
  }
  return key;
}

// The `name` of a variant; empty if absent or if the mapping has a key `name` with another meaning.
std::string variant_name(const std::string& path, const YamlNode& value) {
  const YamlNode* name = value.find("name");
  if (!name || contains(keys_of(key_path(path)), "name")) return "";
  return scalar(*name, path + ".name", "a name such as today");
}

}  // namespace

bool is_range(const YamlNode& node) {
  return node.is_map() && (node.find("from") || node.find("steps"));
}

YamlNode range_values(const std::string& path, const YamlNode& node) {
  SweptRange range;
  read_keys(values_keys(), node, "sweep of " + path, &range);
  ScenarioKey key = number_at(path, range);
  check_kind(key, path, node);
  if (key.kind == KeyKind::ratio || key.kind == KeyKind::signed_ratio)
    key.form = range.from.ends_with("%")     ? Form::usual
               : range.from.ends_with("ppm") ? Form::ppm
                                             : Form::decimal;
  const std::int64_t from = read_number({key, *node.find("from"), path});
  const std::int64_t to = read_number({key, *node.find("to"), path});
  if (from >= to)
    reject(node.place, "sweep of {}: the range goes from {} to {}; expected from below to", path,
           range.from, range.to);
  if (range.log && from <= 0)
    reject(node.find("from")->place, "sweep of {}: a log scale begins above 0, not at {}", path,
           range.from);
  YamlNode list = yaml_sequence(node.place);
  list.items = {*node.find("from")};
  std::int64_t before = from;
  std::int64_t exactly_before = from;
  for (std::int64_t i = 1; i < range.steps - 1; ++i) {
    const std::int64_t exactly = value_at(range, from, to, i);
    const std::int64_t value = is_whole(key) ? exactly : rounded(exactly, exactly - exactly_before);
    exactly_before = exactly;
    if (value <= before || value >= to) continue;
    list.items.push_back(value > 0 && is_duration(key)
                             ? yaml_text(format_duration_for_reading({value}))
                             : write_number(key, value));
    list.items.back().place = node.place;
    before = value;
  }
  list.items.push_back(*node.find("to"));
  return list;
}

std::string axis_value(const std::string& path, const YamlNode& value) {
  if (value.is_scalar()) return value.text;
  std::string name = variant_name(path, value);
  if (!name.empty()) return name;
  return path.ends_with(".nic") ? nic_label(value) : emit_yaml_flow(value);
}

Keys keys_at(const std::string& path) {
  if (const std::size_t nic = path.find(".nic."); nic != std::string::npos) {
    const std::string constant = path.substr(nic + 5);
    if (constant.starts_with("scale.")) return {factor_key()};
    if (const NicConstant* found = find_nic_constant(constant)) return {found->as_key};
  }
  Keys keys;
  for (const ScenarioKey* key : find_scenario_keys(key_path(path))) keys.push_back(*key);
  return keys;
}

std::string step_name(const std::string& path, const YamlNode& value) {
  if (path != "protocol") return variant_name(path, value);
  const YamlNode* name = value.find("label");
  if (!name) name = value.find("name");
  return name ? name->text : "";
}

YamlNode without_name(const std::string& path, YamlNode value) {
  if (!path.ends_with(".nic") && !variant_name(path, value).empty()) value.erase("name");
  return value;
}

}  // namespace latchlab
