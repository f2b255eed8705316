// Completes descriptions that omit constants which were not measured.

#include <algorithm>

#include "core/scenario/fields.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/nic_file.h"

namespace latchlab {
namespace {

YamlNode half_to_twice(const NicConstant& constant, const YamlNode& value) {
  YamlNode range = yaml_sequence(value.place);
  const bool scales =
      constant.as_key.kind == KeyKind::duration || constant.as_key.kind == KeyKind::bit_rate;
  if (constant.as_key.kind == KeyKind::curve) {
    const YamlNode end = value.items.empty() ? write_number(rate_share(), rate_share().most)
                                             : value.items.back().items.back();
    range.items = {end, end};
  } else if (scales) {
    const std::int64_t number = read_number({constant.as_key, value, constant.key()});
    range.items = {write_number(constant.as_key, number / 2),
                   write_number(constant.as_key, std::min(number * 2, constant.as_key.most))};
  } else {
    range.items = {value, value};
  }
  return range;
}

// A constant of the base as an assumed one.
YamlNode assumed(const NicConstant& constant, const YamlNode& known, const std::string& base) {
  const YamlNode* const value = known.find("value");
  const YamlNode* const source = known.find("source");
  const YamlNode* const range = known.find("range");
  YamlNode node = yaml_map(known.place);
  if (value == nullptr) return known;  // reading it reports the error
  node.set("value", *value);
  node.set("status", yaml_text(name_of(ConstantStatus::assumed), known.place));
  node.set("range", range != nullptr ? *range : half_to_twice(constant, *value));
  node.set("source", yaml_text("not measured here; as " + base + ": " +
                                   (source != nullptr ? source->text : std::string()),
                               known.place));
  return node;
}

}  // namespace

YamlNode complete_nic(YamlNode description, const YamlNode& base) {
  const std::string name = description.find("base")->text;
  description.erase("base");
  for (const NicConstant& constant : nic_constants()) {
    const YamlNode* const theirs = base.find(constant.section);
    const YamlNode* const known = theirs != nullptr ? theirs->find(constant.name) : nullptr;
    if (known == nullptr || !known->is_map()) continue;
    YamlNode* ours = description.find(constant.section);
    if (ours == nullptr || ours->is_null())
      ours = &description.set(constant.section, yaml_map(description.place));
    if (ours->is_map() && ours->find(constant.name) == nullptr)
      ours->set(constant.name, assumed(constant, *known, name));
  }
  return description;
}

}  // namespace latchlab
