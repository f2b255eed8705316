#include "core/scenario/nic_file.h"

#include <fmt/format.h>

#include <utility>

#include "core/scenario/map_reader.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/nic_values.h"
#include "core/scenario/quantities.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/text_file.h"

namespace latchlab {
namespace {

constexpr const char* kFolder = "models/nics";

YamlNode load_description(const YamlNode& name, const std::string& directory,
                          const DataDirs& data) {
  const std::string& wanted = scalar(name, "platform.nic", "a name such as connectx-5");
  const std::string path = find_data_file(wanted, kFolder, directory, data);
  if (path.empty()) {
    const std::vector<std::string> known = data_names(kFolder, data);
    reject(name.place, fmt::format("there is no NIC {}; known: {}{}", quoted(wanted),
                                   known.empty() ? "none (no models/nics found)" : joined(known),
                                   aside(wanted, known)));
  }
  const Result<std::string> text = read_text_file(path);
  if (!text) throw InputError{text.error()};
  return parse_yaml(text.value(), path);
}

// `range` holds two values of the constant's unit (of a curve: the rate at its end); the value
// lies within unless a scenario replaced it.
void read_range(const NicConstant& constant, const YamlNode& range, std::int64_t number,
                ConstantOrigin& origin) {
  if (!range.is_sequence() || range.items.size() != 2)
    reject(range.place, origin.key + ".range: expected two values, [low, high]");
  const std::int64_t low = read_nic_bound(constant, range.items[0]);
  const std::int64_t high = read_nic_bound(constant, range.items[1]);
  if (low > high) reject(range.place, origin.key + ".range: the first value exceeds the second");
  if (!origin.overridden && (number < low || number > high))
    reject(range.place, fmt::format("{} is {}, outside its range {} to {}", origin.key,
                                    origin.value, range.items[0].text, range.items[1].text));
  origin.low = range.items[0].text;
  origin.high = range.items[1].text;
}

void read_constant(const NicConstant& constant, const YamlNode& node, NicModel& nic) {
  MapReader reader(&node, constant.key(), node.place);
  ConstantOrigin origin;
  origin.key = constant.key();
  const YamlNode& value = reader.require("value", "value: 341ns");
  const std::int64_t number = read_nic_value(constant, value, nic);
  origin.value = value.is_scalar() ? value.text : emit_yaml_flow(value);
  origin.source = scalar(reader.require("source", "source: \"paper, section\""),
                         reader.path_of("source"), "a text");
  if (origin.source.empty())
    reject(node.place, origin.key +
                           ".source is empty; say where the "
                           "value comes from");
  const YamlNode& status = reader.require("status", "status: assumed");
  origin.status =
      static_cast<ConstantStatus>(read_choice(status, reader.path_of("status"), status_names()));
  origin.overridden = reader.boolean("overridden", false);
  const YamlNode* range = reader.find("range");
  reader.finish();
  if (range) read_range(constant, *range, number, origin);
  if (!range && origin.status != ConstantStatus::published)
    reject(status.place, origin.key + " is not published and so needs 'range: [low, high]'");
  nic.origins.push_back(std::move(origin));
}

const ConstantOrigin* origin_of(const NicModel& nic, const std::string& key) {
  for (const ConstantOrigin& origin : nic.origins)
    if (origin.key == key) return &origin;
  return nullptr;
}

YamlNode write_constant(const NicModel& nic, const NicConstant& constant) {
  YamlNode node = yaml_map();
  node.set("value", write_nic_value(nic, constant));
  const ConstantOrigin* origin = origin_of(nic, constant.key());
  if (!origin) return node;
  node.set("status", yaml_text(name_of(origin->status)));
  if (!origin->low.empty()) {
    YamlNode range = yaml_sequence();
    range.items = {yaml_text(origin->low), yaml_text(origin->high)};
    node.set("range", std::move(range));
  }
  if (origin->overridden) node.set("overridden", yaml_text("true"));
  node.set("source", yaml_text(origin->source));
  return node;
}

template <class Write>
YamlNode write_sections(const NicModel& nic, Write write) {
  YamlNode root = yaml_map();
  root.set("name", yaml_text(nic.name));
  root.set("device", yaml_text(nic.device));
  for (const std::string& section : nic_sections()) root.set(section, yaml_map());
  for (const NicConstant& constant : nic_constants())
    root.find(constant.section)->set(constant.name, write(constant));
  return root;
}

// What the constants ask of each other.
void check_together(const NicModel& nic, const YamlNode& description) {
  const auto refuse = [&](const char* section, const char* name, const std::string& problem) {
    reject(description.find(section)->find(name)->place,
           fmt::format("{}.{} is {}", section, name, problem));
  };
  if ((nic.slots & (nic.slots - 1)) != 0)
    refuse("atomic", "slots", fmt::format("{}; expected a power of two such as 512", nic.slots));
  if (nic.slots_16 > 2)
    refuse("atomic", "slots_16", fmt::format("{}; expected 1 or 2", nic.slots_16));
  if (nic.masked_bytes != 0 && nic.masked_bytes != 8 && nic.masked_bytes != 16)
    refuse("atomic", "masked", fmt::format("{}B; expected 0B (none), 8B or 16B", nic.masked_bytes));
  if ((nic.post + nic.one_way + nic.completion).ps == 0)
    reject(description.place,
           "latency.post, latency.one_way and latency.completion are all 0; a verb must take time");
}

}  // namespace

YamlNode default_nic(const Place& place) {
  YamlNode name = yaml_text("connectx-5");
  name.place = place;
  return name;
}

YamlNode expand_nic(const YamlNode& nic, const std::string& directory, const DataDirs& data) {
  if (!nic.is_map()) return load_description(nic, directory, data);
  const YamlNode* base = nic.find("base");
  if (!base) return nic;
  YamlNode description = load_description(*base, directory, data);
  for (const YamlEntry& entry : nic.entries)
    if (entry.key != "base") override_nic_constant(description, entry.key, entry.value);
  description.place = nic.place;
  return description;
}

void override_nic_constant(YamlNode& description, const std::string& key, const YamlNode& value) {
  const NicConstant* constant = find_nic_constant(key);
  if (!constant)
    reject(value.place,
           fmt::format("unknown key {} of a NIC{}", quoted(key), suggestion(key, nic_keys(""))));
  if (constant->unit != NicUnit::curve)
    scalar(value, "platform.nic." + key, "one value such as 300ns");
  YamlNode* section = description.find(constant->section);
  YamlNode* present = section ? section->find(constant->name) : nullptr;
  if (!present || !present->is_map())
    reject(value.place, "the NIC description has no constant " + quoted(key) + " to replace");
  YamlNode yes = yaml_text("true");
  yes.place = value.place;
  present->set("value", value);
  present->set("overridden", std::move(yes));
}

NicModel read_nic(const YamlNode& description) {
  MapReader top(&description, "", description.place);
  NicModel nic;
  top.know("name");
  top.know("device");
  for (const std::string& section : nic_sections()) top.know(section);
  top.finish();
  nic.name = scalar(top.require("name", "name: connectx-5"), "name", "a text");
  nic.device = top.text("device", nic.name);
  for (const std::string& section : nic_sections()) {
    MapReader reader(&top.require(section, section + ": {...}"), section, top.place());
    for (const std::string& name : nic_keys(section)) reader.know(name);
    reader.finish();
    for (const NicConstant& constant : nic_constants())
      if (constant.section == section)
        read_constant(constant,
                      reader.require(constant.name, "{value: ..., source: ..., status: ...}"), nic);
  }
  check_together(nic, description);
  return nic;
}

YamlNode write_nic(const NicModel& nic) {
  return write_sections(nic, [&](const NicConstant& c) { return write_constant(nic, c); });
}

YamlNode write_nic_values(const NicModel& nic) {
  return write_sections(nic, [&](const NicConstant& c) { return write_nic_value(nic, c); });
}

Result<NicModel> load_nic(const std::string& name_or_path, const std::string& directory,
                          const DataDirs& data) {
  try {
    return read_nic(load_description(yaml_text(name_or_path), directory, data));
  } catch (const InputError& problem) {
    return problem.error;
  }
}

}  // namespace latchlab
