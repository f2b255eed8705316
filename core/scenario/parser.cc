#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/scenario/advice.h"
#include "core/scenario/nic_file.h"
#include "core/scenario/resolve.h"
#include "core/scenario/scenario.h"
#include "core/scenario/section_expect.h"
#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/sweep.h"
#include "core/scenario/text_file.h"

namespace latchlab {
namespace {

struct Context {
  const std::vector<ProtocolInfo>& protocols;
  Files files;
};

// The name becomes part of directory names.
void check_name(const YamlNode& node) {
  const std::string& name = scalar(node, "name", "a word such as quickstart");
  if (name.starts_with('.') || !is_name(name, "-_."))
    reject(node.place, "name is {}; expected 1 to 64 letters, digits, '-', '_' or '.'",
           in_quotes(name));
}

// The section, or nullptr if it is absent or null.
const YamlNode* part_of(const YamlNode& root, const char* key) {
  const YamlNode* node = root.find(key);
  return node && node->is_null() ? nullptr : node;
}

// Records where a figure names its metrics. Their names are checked elsewhere, where metrics are
// known.
void place_figure(const YamlNode& node, Figure& figure) {
  if (figure.series.empty()) figure.series = Figure().series;
  const auto place = [&](const char* key) {
    const YamlNode* given = node.find(key);
    return (given ? *given : node).place.text();
  };
  figure.places = {place("x"), place("y"), place("series"), place("mean_over"),
                   place("relative_to")};
}

// Reads the keys that are the same at every point.
void read_top(const YamlNode& root, Scenario& scenario) {
  const YamlNode* schema = root.find("schema");
  if (schema && !(schema->is_scalar() && schema->text == "1"))
    reject(schema->place, "schema is {}; this build reads schema 1",
           schema->is_scalar() ? in_quotes(schema->text) : kind_name(*schema));
  read_keys(top_keys(), root, "", nullptr);
  check_name(*root.find("name"));
  scenario.name = root.find("name")->text;
  if (const YamlNode* description = part_of(root, "description"))
    scenario.description = scalar(*description, "description", "a text");
  if (const YamlNode* allow = part_of(root, "allow"))
    read_keys(allow_keys(), *allow, "allow", &scenario);
  Report report;
  if (const YamlNode* node = part_of(root, "report"))
    read_keys(report_keys(), *node, "report", &report);
  scenario.figures = std::move(report.figures);
  const YamlNode* written = find_path(root, "report.figures");
  for (std::size_t i = 0; i < scenario.figures.size(); ++i)
    place_figure(written->items[i], scenario.figures[i]);
}

Point read_point(const YamlNode& root, const Context& context, const SweptProtocols& swept) {
  Point point;
  read_keys(top_keys(), root, "", &point);
  const YamlNode* protocol = root.find("protocol");
  if (!protocol)
    reject(root.place, "protocol is missing; add it, for example 'protocol: {name: shiftlock}'");
  const YamlNode* platform = root.find("platform");
  const YamlNode* groups = part_of(root, "groups");
  const YamlNode* locks = root.find("locks");
  const YamlNode* workload = root.find("workload");
  finish_arrivals(workload, context.files, point.workload.arrivals);
  finish_programs(workload, context.files, point.workload);
  read_groups(groups, context.files, point);
  finish_platform(platform, root.place, context.files, point);
  if (groups) read_group_hardware(*groups, context.files, point);
  point.protocol = read_protocol(*protocol, context.protocols, swept);
  check_faults(root.find("faults"), point);
  check_run(root.find("run"), point.run);
  const ProtocolInfo& info = find_protocol(*protocol->find("name"), context.protocols);
  const std::uint64_t entry_bytes =
      info.entry_bytes_of ? info.entry_bytes_of(point.protocol.params) : info.entry_bytes;
  check_locks(point.locks, point.platform, entry_bytes, locks, root.place);
  if (point.groups.empty())
    check_workload(point.workload, point,
                   {0, point.platform.clients(), point.platform.clients_per_node}, nullptr,
                   workload, root.place);
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < point.groups.size(); ++i) {
    const ClientGroup& clients = point.groups[i].clients;
    check_workload(point.groups[i].workload, point,
                   {first, clients.clients(), clients.clients_per_node},
                   part_of(groups->items[i], "workload"), workload, root.place);
    first += clients.clients();
  }
  check_groups_apart(root.find("run"), point);
  return point;
}

SweptProtocols swept_protocols(const std::vector<Axis>& axes, const Context& context) {
  SweptProtocols swept;
  const auto add = [&](const YamlNode* name) {
    if (name) swept.infos.push_back(&find_protocol(*name, context.protocols));
  };
  for (const Axis& axis : axes) {
    for (std::size_t i = 0; i < axis.paths.size(); ++i) {
      const std::string& path = axis.paths[i];
      if (path == "protocol.name") {
        swept.every_parameter = true;
        for (const auto& step : axis.steps) add(&step[i]);
      } else if (path == "protocol") {
        for (const auto& step : axis.steps) add(step[i].find("name"));
      } else if (path.starts_with("protocol.")) {
        swept.parameters.push_back(path.substr(path.find('.') + 1));
      }
    }
  }
  return swept;
}

// Refuses two protocols of a sweep with one label, because they would become one series. `first`
// maps each label to the first protocol with it.
void check_label(const Point& point, const std::vector<Axis>& axes, const Assignment& assignment,
                 std::map<std::string, std::string>& first) {
  std::string identity;
  SourceLocation place;
  std::size_t at = 0;
  for (const Axis& axis : axes) {
    const bool chooses = axis.varies("protocol") || axis.varies("protocol.name");
    for (std::size_t i = 0; i < axis.paths.size(); ++i, ++at) {
      if (!chooses || !axis.paths[i].starts_with("protocol")) continue;
      identity += emit_yaml_flow(*assignment[at].second) + "\n";
      place = assignment[at].second->place;
    }
  }
  const std::string& label = point.protocol.label;
  if (first.emplace(label, identity).first->second != identity)
    reject(place,
           "the label {} names two protocols of the sweep; give this one its own, for example "
           "'label: {}-2'",
           in_quotes(label), label);
}

std::string axis_text(const std::string& path, const YamlNode& value, const Point& point) {
  return path == "protocol" ? point.protocol.label : axis_value(path, value);
}

void read_points(const YamlNode& root, const std::vector<Axis>& axes, const Context& context,
                 Scenario& scenario) {
  const YamlNode* sweep = root.find("sweep");
  const SweptProtocols swept = swept_protocols(axes, context);
  std::map<std::string, std::string> labels;
  YamlNode base = root;
  for (const char* key : {"allow", "sweep", "expect", "known", "report"}) base.erase(key);
  for (const Assignment& assignment : cross(axes, sweep ? sweep->place : root.place)) {
    YamlNode tree = base;
    apply_assignment(tree, assignment, context.files);
    Point point = read_point(tree, context, swept);
    check_label(point, axes, assignment, labels);
    for (const auto& [path, value] : assignment)
      point.axes.emplace_back(path, axis_text(path, *value, point));
    resolve_point(point, scenario.name);
    scenario.points.push_back(std::move(point));
  }
}

// Most scenarios use the same NIC at every point: read its file once.
void expand_common_nic(YamlNode& root, const Files& files) {
  YamlNode& platform =
      root.find("platform") ? *root.find("platform") : root.set("platform", yaml_map(root.place));
  const YamlNode* given = platform.find("nic");
  if (platform.is_map() && !(given && given->is_null()))
    platform.set("nic", expand_nic(given ? *given : default_nic(platform.place), files));
}

// True for an override that may remove points that an expectation names. Overrides of `run` change
// only the length and number of runs.
bool changes_points(const Override& override) {
  const std::string section = override.path.substr(0, override.path.find('.'));
  return section == "sweep" || (contains(section_names(), section) && section != "run");
}

// Binds the figures to points, and stores the resolved list in the tree.
void bind_expectations(YamlNode& root, bool changed, Scenario& scenario) {
  const YamlNode* written = part_of(root, "expect");
  if (!written) return;
  ExpectSection section = read_expect(written, scenario, changed);
  if (section.left_out > 0)
    scenario.warn({WarningKind::left_out,
                   fmt::format("{} of {} expectations speak of points that --set has taken away, "
                               "and are left out",
                               section.left_out, section.left_out + section.expectations.size())});
  scenario.expectations = std::move(section.expectations);
  if (std::any_of(scenario.expectations.begin(), scenario.expectations.end(),
                  [&](const Expectation& entry) {
                    return entry.kind == ExpectKind::order &&
                           scenario.points[entry.groups.front().front()].run.repeats < 3;
                  }))
    scenario.warn({WarningKind::few_repeats,
                   "an order is decided by at least three repeats: set run.repeats to 3"});
  root.set("expect", std::move(section.resolved));
}

// The labels of a line that the sweep has. `changed`: --set may have removed some.
std::vector<std::string> read_variants(const YamlNode& list, const std::string& path,
                                       const Scenario& scenario, bool changed) {
  if (!list.is_sequence() || list.items.empty())
    reject(list.place, "{}: expected a list of labels such as [cas, cas-backoff]", path);
  std::vector<std::string> labels, known;
  for (const Point& point : scenario.points) known.push_back(point.protocol.label);
  for (const YamlNode& item : list.items) {
    const std::string& label = scalar(item, path, "a label");
    if (contains(known, label))
      labels.push_back(label);
    else if (!changed)
      reject(item.place, "{}: no lock of the sweep has the label {}{}", path, in_quotes(label),
             aside(label, known));
    for (const BestOf::Line& line : scenario.best_of.lines)
      if (contains(line.labels, label))
        reject(item.place, "{}: the label {} belongs to {} already", path, in_quotes(label),
               in_quotes(line.name));
  }
  return labels;
}

void read_best_of(YamlNode& root, bool changed, Scenario& scenario) {
  YamlNode* const node = find_path(root, "sweep.best_of");
  if (!node || node->is_null()) return;
  BestOf& best = scenario.best_of;
  read_keys(best_of_keys(), *node, "sweep.best_of", &best);
  best.place = node->place.text();
  const YamlNode& lines = *node->find("lines");
  require_map(lines, "sweep.best_of.lines", "lines such as {CAS: [cas, cas-backoff]}");
  for (const YamlEntry& line : lines.entries) {
    std::vector<std::string> labels =
        read_variants(line.value, "sweep.best_of.lines." + line.key, scenario, changed);
    const auto is_other = [&](const Point& point) {
      return point.protocol.label == line.key && !contains(labels, line.key);
    };
    if (std::ranges::any_of(scenario.points, is_other))
      reject(line.place, "sweep.best_of.lines: {} is the label of another lock; rename the line",
             in_quotes(line.key));
    best.lines.push_back({line.key, std::move(labels)});
  }
  node->set("metric", yaml_text(best.metric));
}

Scenario read_scenario(const ScenarioSource& source, const std::vector<Override>& overrides,
                       const Context& context) {
  YamlNode root = parse_yaml(source.text, source.name_for_errors);
  require_map(root, "the document", "a scenario, which begins with 'schema: 1'");
  spell_out_locks(root);
  // A sweep is replaced first, because the others fix values in it. Overrides of groups are applied
  // last: what they do not replace comes from the platform.
  const auto turn_of = [](const Override& override) {
    if (override.path == "sweep" || override.path.starts_with("sweep.")) return 0;
    return override.path.starts_with("groups.") ? 2 : 1;
  };
  for (const int turn : {0, 1, 2})
    for (const Override& override : overrides)
      if (turn_of(override) == turn)
        apply_override(root, override, context.protocols, context.files);
  Scenario scenario;
  scenario.file = source.name_for_errors;
  read_top(root, scenario);
  const std::vector<Axis> axes = read_sweep(root.find("sweep"));
  const bool nic_swept = std::any_of(axes.begin(), axes.end(), [](const Axis& axis) {
    return axis.varies("platform") || axis.varies("platform.nic");
  });
  if (!nic_swept) expand_common_nic(root, context.files);
  read_points(root, axes, context, scenario);
  for (const Warnings& warnings :
       {time_warnings(scenario.points, context.protocols),
        unit_warnings(scenario.points, context.protocols), parameter_warnings(scenario.points),
        return_warnings(scenario.points), death_warnings(scenario.points, context.protocols),
        grant_warnings(scenario.points, context.protocols)})
    for (const Warning& warning : warnings) scenario.warn(warning);
  const bool changed = std::any_of(overrides.begin(), overrides.end(), changes_points);
  read_best_of(root, changed, scenario);
  bind_expectations(root, changed, scenario);
  if (part_of(root, "known")) read_known(*root.find("known"), scenario, changed);
  scenario.resolved_yaml = resolve_scenario(scenario, root, axes);
  return scenario;
}

}  // namespace

const BestOf::Line* Scenario::best_of_line(const Point& point) const {
  for (const BestOf::Line& line : best_of.lines)
    if (contains(line.labels, point.protocol.label)) return &line;
  return nullptr;
}

const std::string& Scenario::line_of(const Point& point) const {
  const BestOf::Line* const line = best_of_line(point);
  return line != nullptr ? line->name : point.protocol.label;
}

void Scenario::warn(Warning warning) {
  const auto it = std::ranges::find(allowed, warning.kind, &AllowedWarning::kind);
  if (it == allowed.end())
    warnings.push_back(std::move(warning));
  else
    it->texts.push_back(std::move(warning.text));
}

std::vector<std::string> Scenario::warning_texts() const {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) texts.push_back(warning.text);
  return texts;
}

Result<Scenario> parse_scenario(const ScenarioSource& source,
                                const std::vector<Override>& overrides,
                                const std::vector<ProtocolInfo>& protocols, const DataDirs& data) {
  try {
    return read_scenario(source, overrides, Context{protocols, {source.directory, data}});
  } catch (const InputError& problem) {
    return problem.error;
  }
}

Result<Scenario> load_scenario(const std::string& path, const std::vector<Override>& overrides,
                               const std::vector<ProtocolInfo>& protocols, const DataDirs& data) {
  const std::string found = is_file(path) ? path : find_data_file(path, "scenarios", "", data);
  const std::string file = found.empty() ? path : found;
  Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_scenario({std::move(text).value(), file, directory_of(file)}, overrides, protocols,
                        data);
}

}  // namespace latchlab
