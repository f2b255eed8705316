#include "models/fit_changes.h"

#include "core/scenario/fields.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/suggestions.h"

namespace latchlab {

namespace {

const ScenarioKey& any_factor() {
  static const ScenarioKey factor = quantity(KeyKind::ratio, "0", "100", Form::decimal);
  return factor;
}

}  // namespace

std::string read_constant_key(const YamlNode& node, const std::string& path) {
  const std::string& key = scalar(node, path, "a constant such as latency.one_way");
  if (!find_nic_constant(key))
    reject(node.place, "{}: there is no constant {}{}", path, in_quotes(key),
           suggestion(key, nic_keys("")));
  if (!is_number(key))
    reject(node.place, "{}: {} is neither a time nor a factor nor a count", path, key);
  return key;
}

double read_constant_value(const std::string& constant, const YamlNode& node,
                           const std::string& path) {
  static const ScenarioKey time = quantity(KeyKind::duration, "0us", "1s");
  static const ScenarioKey number = quantity(KeyKind::count, "0", "1M");
  const double unit = unit_of(constant);
  const ScenarioKey& key = unit == kPsPerNs ? time : unit == kPpb ? any_factor() : number;
  return static_cast<double>(read_number({key, node, path})) / unit;
}

NicChanges read_changes(const YamlNode* node, const std::string& path) {
  NicChanges changes;
  if (node == nullptr) return changes;
  if (!node->is_map()) reject(node->place, path + ": expected constants and their changes");
  for (const YamlEntry& entry : node->entries) {
    YamlNode key = yaml_text(entry.key);
    key.place = entry.place;
    NicChange change;
    change.constant = read_constant_key(key, path);
    YamlNode amount = entry.value;
    const std::string& text = scalar(amount, path, "a change such as x0.75, +180ns or 341ns");
    const char sign = text.empty() ? ' ' : text.front();
    if (sign == 'x' || sign == '+' || sign == '-') amount.text = text.substr(1);
    if (sign == 'x') {
      change.kind = NicChange::Kind::scale;
      change.amount = static_cast<double>(read_number({any_factor(), amount, path})) / kPpb;
    } else {
      const double value = read_constant_value(change.constant, amount, path);
      if (sign == '+' || sign == '-') change.kind = NicChange::Kind::add;
      change.amount = sign == '-' ? -value : value;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace latchlab
