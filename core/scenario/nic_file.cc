#include "core/scenario/nic_file.h"

#include <fmt/format.h>

#include <utility>

#include "core/scenario/fields.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

constexpr const char* kFolder = "models/nics";

constexpr const char* kStacks = "models/cpu/stacks";

constexpr int kMostBases = 4;

// How software learns of completions.
constexpr const char* kByPolling = "polling";
constexpr const char* kByEvent = "event";

// Of the constants in a NIC's file, those that software decides.
const std::vector<std::string>& constants_of_software() {
  static const std::vector<std::string> keys = {
      "latency.post",      "latency.completion",  "local.on_node",
      "local.cpu_access",  "local.line_transfer", "local.handle_message",
      "local.shared_core", "server.cores",        "server.call_service"};
  return keys;
}

// `kind`: "NIC", for messages.
std::string path_of(const YamlNode& name, const std::string& wanted, const char* kind,
                    const char* folder, const Files& files) {
  const std::string path = find_data_file(wanted, folder, files.directory, files.data);
  if (!path.empty()) return path;
  const std::vector<std::string> known = data_names(folder, files.data);
  reject(name.place, "there is no {} {}; known: {}{}", kind, in_quotes(wanted),
         known.empty() ? fmt::format("none (no {} found)", folder) : joined(known),
         aside(wanted, known));
}

YamlNode load_yaml(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) throw InputError{text.error()};
  return parse_yaml(text.value(), path);
}

YamlNode load_description(const YamlNode& name, const Files& files, int depth = 0) {
  const std::string& wanted = scalar(name, "platform.nic", "a name such as connectx-5");
  const std::string path = path_of(name, wanted, "NIC", kFolder, files);
  YamlNode description = load_yaml(path);
  const YamlNode* const base = description.is_map() ? description.find("base") : nullptr;
  if (base == nullptr) return description;
  const Files beside{path.substr(0, path.rfind('/') + 1), files.data};
  if (depth >= kMostBases)
    reject(base->place, "base: {} bases of bases; name the one that is measured", kMostBases);
  return complete_nic(description, load_description(*base, beside, depth + 1));
}

const Keys& origin_keys() {
  using Origin = ConstantOrigin;
  static const Keys keys = rows<Origin>({
      {"value", said<Origin>(KeyKind::text), "341ns", "", kRequired},
      {"source", line(&Origin::source), "\"paper, section\"", "", kRequired},
      {"status", words(status_names(), &Origin::status), "assumed", "", kRequired},
      {"range", said<Origin>(KeyKind::list), "[low, high]", ""},
      {"overridden", number(KeyKind::boolean, &Origin::overridden), "true", ""},
      {"was", line(&Origin::was), "341ns", ""},
      {"scaled", line(&Origin::scaled), "\"341ns by atomics 4x\"", ""},
  });
  return keys;
}

// Reads `range`: two values in the constant's unit (for a curve, the rate at its last point). The
// value must be within the range unless the scenario replaced it.
void read_range(const NicConstant& constant, const YamlNode& range, std::int64_t number,
                ConstantOrigin& origin) {
  if (!range.is_sequence() || range.items.size() != 2)
    reject(range.place, origin.key + ".range: expected two values, [low, high]");
  const ScenarioKey& key = constant.as_key.kind == KeyKind::curve ? rate_share() : constant.as_key;
  const std::int64_t low = read_number({key, range.items[0], origin.key});
  const std::int64_t high = read_number({key, range.items[1], origin.key});
  if (low > high) reject(range.place, origin.key + ".range: the first value exceeds the second");
  if (!origin.overridden && (number < low || number > high))
    reject(range.place, "{} is {}, outside its range {} to {}", origin.key, origin.value,
           range.items[0].text, range.items[1].text);
  origin.low = range.items[0].text;
  origin.high = range.items[1].text;
}

void read_constant(const NicConstant& constant, const YamlNode& node, NicModel& nic) {
  ConstantOrigin origin;
  origin.key = constant.key();
  read_keys(origin_keys(), node, origin.key, &origin);
  const YamlNode& value = *node.find("value");
  constant.as_key.read({constant.as_key, value, origin.key}, &nic);
  origin.value = value.is_scalar() ? value.text : emit_yaml_flow(value);
  if (origin.key == "link.rate") {
    const YamlNode* const was = node.find("was");
    nic.measured_bits_per_s = read_number({constant.as_key, was ? *was : value, origin.key});
  }
  if (origin.source.empty())
    reject(node.place, origin.key + ".source is empty; say where the value comes from");
  const YamlNode* range = node.find("range");
  if (range) read_range(constant, *range, number_in(nic, constant), origin);
  if (!range && origin.status != ConstantStatus::published)
    reject(node.find("status")->place,
           origin.key + " is not published and so needs 'range: [low, high]'");
  nic.origins.push_back(std::move(origin));
}

// A constant with its provenance; in JSON the value alone.
YamlNode write_constant(const NicModel& nic, const NicConstant& constant) {
  YamlNode node = yaml_map();
  node.set("value", constant.as_key.write(constant.as_key, &nic));
  node.json = emit_json(node.entries.front().value);
  for (const ConstantOrigin& origin : nic.origins) {
    if (origin.key != constant.key()) continue;
    node.set("status", yaml_text(name_of(origin.status)));
    if (!origin.low.empty()) {
      YamlNode range = yaml_sequence();
      range.items = {yaml_text(origin.low), yaml_text(origin.high)};
      node.set("range", std::move(range));
    }
    if (origin.overridden) node.set("overridden", yaml_text("true"));
    if (!origin.was.empty()) node.set("was", yaml_text(origin.was));
    if (!origin.scaled.empty()) node.set("scaled", yaml_text(origin.scaled));
    node.set("source", yaml_text(origin.source));
  }
  return node;
}

Value<NicModel> constant_value(const NicConstant& constant) {
  return value_of<NicModel>(
      {}, [&](const Given& given, NicModel& nic) { read_constant(constant, given.node, nic); },
      [&](const ScenarioKey&, const NicModel& nic) { return write_constant(nic, constant); });
}

Row<NicModel> section_row(const std::string& section) {
  Keys keys;
  for (const NicConstant& constant : nic_constants())
    if (constant.section == section)
      keys.push_back(Row<NicModel>(constant.name.c_str(), constant_value(constant),
                                   "{value: ..., source: ..., status: ...}", "", kRequired));
  const auto all = value_of<NicModel>(
      {.kind = KeyKind::map},
      [keys](const Given& given, NicModel& nic) { read_keys(keys, given.node, given.path, &nic); },
      [keys](const ScenarioKey&, const NicModel& nic) { return write_keys(keys, &nic); });
  return {section.c_str(), all, "{...}", "", kRequired};
}

const Keys& description_keys() {
  static const Keys all = [] {
    Keys keys = rows<NicModel>({
        {"name", line(&NicModel::name), "connectx-5", "", kRequired},
        {"device", line(&NicModel::device), "\"Mellanox ConnectX-5\"", ""},
    });
    for (const std::string& section : nic_sections()) keys.push_back(section_row(section));
    return keys;
  }();
  return all;
}

// The location of a value, or of the override that replaced it.
const SourceLocation& place_of(const YamlNode& description, const char* section, const char* name) {
  return description.find(section)->find(name)->find("value")->place;
}

// Checks across constants.
void check_together(const NicModel& nic, const YamlNode& description) {
  const auto refuse = [&](const char* section, const char* name, const std::string& problem) {
    reject(place_of(description, section, name), "{}.{} is {}", section, name, problem);
  };
  if ((nic.slots & (nic.slots - 1)) != 0)
    refuse("atomic", "slots", fmt::format("{}; expected a power of two such as 512", nic.slots));
  if (nic.slots_16 > 2)
    refuse("atomic", "slots_16", fmt::format("{}; expected 1 or 2", nic.slots_16));
  if (nic.selective > 1)
    refuse("timeout", "selective", fmt::format("{}; expected 0 or 1", nic.selective));
  if (nic.masked_bytes != 0 && nic.masked_bytes != 8 && nic.masked_bytes != 16)
    refuse("atomic", "masked", fmt::format("{}B; expected 0B (none), 8B or 16B", nic.masked_bytes));
  if ((nic.post + nic.one_way + nic.completion).ps == 0)
    reject(place_of(description, "latency", "post"),
           "latency.post, latency.one_way and latency.completion are all 0; a verb must take time");
}

// A factor on the value of the NIC's file says nothing of the software's.
void check_scaled(const YamlNode& constant, const std::string& key) {
  const YamlNode* const scaled = constant.find("scaled");
  const YamlNode* const was = constant.find("was");
  if (scaled != nullptr && was != nullptr && scaled->text.starts_with(was->text + " "))
    reject(constant.place,
           "scale multiplies {} of the NIC's file, in whose place platform.software puts another "
           "value; give the value to be scaled beside it, or leave {} out of scale",
           key, key);
}

bool is_by_event(const YamlNode& completions) {
  const std::string& how = scalar(completions, "completions", kByEvent);
  if (how != kByPolling && how != kByEvent)
    reject(completions.place, "completions is {}; expected {} or {}", in_quotes(how), kByPolling,
           kByEvent);
  return how == kByEvent;
}

}  // namespace

YamlNode default_nic(const SourceLocation& place) {
  return yaml_text(kUsualNic, place);
}

YamlNode expand_nic(const YamlNode& nic, const Files& files) {
  if (!nic.is_map()) return load_description(nic, files);
  const YamlNode* base = nic.find("base");
  if (!base) {
    for (const YamlEntry& entry : nic.entries)
      if (entry.key == "scale" || find_nic_constant(entry.key))
        reject(entry.place,
               "base is missing: platform.nic changes {0} and does not say of which NIC; write "
               "'{{base: {1}, {0}: ...}}'",
               entry.key, kUsualNic);
    if (!nic.find("name"))
      reject(nic.place,
             "base is missing: say which NIC this changes, for example '{base: connectx-5, "
             "atomic.window: 48}'");
    return nic;
  }
  YamlNode description = load_description(*base, files);
  const YamlNode* scale = nic.find("scale");
  for (const YamlEntry& entry : nic.entries)
    if (entry.key == "name")
      description.set("name", entry.value);
    else if (&entry.value != base && &entry.value != scale)
      override_nic_constant(description, entry.key, entry.value);
  if (scale) scale_nic(description, *scale);
  description.place = nic.place;
  return description;
}

std::string nic_label(const YamlNode& nic) {
  if (nic.is_scalar()) return nic.text;
  const YamlNode* base = nic.find("base");
  const YamlNode* name = base ? base : nic.find("name");
  if (!name || !name->is_scalar()) return emit_yaml_flow(nic);
  std::string label = name->text;
  if (!base) return label;
  for (const YamlEntry& entry : nic.entries)
    if (entry.key != "base")
      label += " " + entry.key + "=" +
               (entry.value.is_scalar() ? entry.value.text : emit_yaml_flow(entry.value));
  return label;
}

void override_nic_constant(YamlNode& description, const std::string& key, const YamlNode& value) {
  const NicConstant* constant = find_nic_constant(key);
  if (!constant)
    reject(value.place, "unknown key {} of a NIC{}", in_quotes(key), suggestion(key, nic_keys("")));
  if (constant->as_key.kind != KeyKind::curve)
    scalar(value, "platform.nic." + key, "one value such as 300ns");
  YamlNode& present = nic_constant_in(description, *constant, value.place);
  replace_nic_value(present, value);
  present.erase("scaled");
}

void replace_nic_value(YamlNode& constant, YamlNode value) {
  const SourceLocation place = value.place;
  const YamlNode* const old = constant.find("value");
  if (old != nullptr && old->is_scalar() && constant.find("was") == nullptr)
    constant.set("was", yaml_text(old->text, place));
  constant.set("value", std::move(value));
  constant.set("overridden", yaml_text("true", place));
}

YamlNode& nic_constant_in(YamlNode& description, const NicConstant& constant,
                          const SourceLocation& place) {
  YamlNode* section = description.find(constant.section);
  YamlNode* present = section ? section->find(constant.name) : nullptr;
  if (!present || !present->is_map())
    reject(place,
           "the NIC description has no constant " + in_quotes(constant.key()) + " to change");
  present->place = place;
  return *present;
}

bool use_software(YamlNode& description, const YamlNode& name, const Files& files) {
  const std::string& wanted = scalar(name, "platform.software", "a name such as event_channel");
  const YamlNode stack = load_yaml(path_of(name, wanted, "software", kStacks, files));
  require_map(stack, wanted, "constants such as latency: {post: {value: 300ns, ...}}");
  bool by_event = false;
  for (const YamlEntry& section : stack.entries) {
    if (section.key == "name" || section.key == "says") continue;
    if (section.key == "completions") {
      by_event = is_by_event(section.value);
      continue;
    }
    require_map(section.value, section.key, "constants such as {post: {value: 300ns, ...}}");
    for (const YamlEntry& entry : section.value.entries) {
      const std::string key = section.key + "." + entry.key;
      if (!contains(constants_of_software(), key))
        reject(entry.place, "{} is not a constant of software; those are {}", in_quotes(key),
               joined(constants_of_software()));
      YamlNode& present = nic_constant_in(description, *find_nic_constant(key), entry.value.place);
      check_scaled(present, key);
      if (present.find("overridden") == nullptr) present = entry.value;
    }
  }
  return by_event;
}

NicModel read_nic(const YamlNode& description) {
  NicModel nic;
  read_keys(description_keys(), description, "", &nic);
  if (nic.device.empty()) nic.device = nic.name;
  check_together(nic, description);
  return nic;
}

YamlNode write_nic(const NicModel& nic) {
  return write_keys(description_keys(), &nic);
}

Result<std::string> what_software_is(const std::string& name, const DataDirs& data) {
  try {
    const YamlNode stack =
        load_yaml(path_of(yaml_text(name), name, "software", kStacks, {".", data}));
    const YamlNode* const says = stack.is_map() ? stack.find("says") : nullptr;
    return says != nullptr ? says->text : std::string();
  } catch (const InputError& problem) {
    return problem.error;
  }
}

Result<NicModel> load_nic(const std::string& name_or_path, const std::string& directory,
                          const DataDirs& data) {
  try {
    return read_nic(load_description(yaml_text(name_or_path), {directory, data}));
  } catch (const InputError& problem) {
    return problem.error;
  }
}

}  // namespace latchlab
