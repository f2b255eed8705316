#include "core/scenario/resolve.h"

#include "core/scenario/sections.h"

namespace latchlab {
namespace {

// If the number of nodes is swept, the shape that follows from it must not be fixed here.
void keep_topology(YamlNode& resolved, const YamlNode& source) {
  YamlNode& platform = *resolved.find("platform");
  for (const char* key : {"topology", "bulk"})
    if (const YamlNode* written = find_path(source, std::string("platform.") + key))
      platform.set(key, *written);
    else
      platform.erase(key);
}

// Keys that all groups share may be swept. They then change at every point only if the group does
// not set them.
void keep_groups(YamlNode& resolved, const YamlNode& source) {
  const YamlNode* const written = source.find("groups");
  YamlNode* const groups = resolved.find("groups");
  if (!written || !groups) return;
  for (std::size_t i = 0; i < std::min(written->items.size(), groups->items.size()); ++i) {
    YamlNode& group = groups->items[i];
    for (const char* key : {"workload", "clocks", "nic"}) {
      const YamlNode* const own = written->items[i].find(key);
      if (!own)
        group.erase(key);
      else if (std::string_view(key) != "nic")  // the NIC is written whole, and so needs no file
        group.set(key, *own);
    }
  }
}

// A swept factor multiplies the unscaled NIC.
void keep_unscaled_nic(YamlNode& resolved, const YamlNode& source, const std::string& path) {
  const std::size_t at = path.find(".nic.scale");
  if (at == std::string::npos) return;
  YamlNode copy = source;
  const auto owner = [&](YamlNode& root) {
    return path.starts_with("groups.") ? &root.find("groups")->items[std::stoul(path.substr(7))]
                                       : find_path(root, path.substr(0, at));
  };
  YamlNode* written = owner(copy);
  if (YamlNode* nic = written ? written->find("nic") : nullptr)
    owner(resolved)->set("nic", *nic);
  else
    owner(resolved)->erase("nic");
}

// A swept name, profile or kind changes which keys its mapping may have.
void keep_rebuilt_section(YamlNode& resolved, const YamlNode& source, const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return;
  const std::string leaf = path.substr(dot + 1);
  if (leaf != "name" && leaf != "profile" && leaf != "kind") return;
  const std::string section = path.substr(0, dot);
  YamlNode* target = find_path(resolved, section);
  const YamlNode* written = find_path(source, section);
  if (target && written)
    *target = *written;
  else if (section.find('.') == std::string::npos)
    resolved.erase(section);
  else if (YamlNode* parent = find_path(resolved, section.substr(0, section.rfind('.'))))
    parent->erase(section.substr(section.rfind('.') + 1));
}

}  // namespace

YamlNode write_point(const Point& point, const std::string& scenario_name) {
  YamlNode node = yaml_map();
  node.set("schema", write_number(quantity(KeyKind::count), 1));
  node.set("name", yaml_text(scenario_name));
  for (YamlEntry& entry : write_keys(top_keys(), &point).entries)
    node.entries.push_back(std::move(entry));
  return node;
}

void resolve_point(Point& point, const std::string& scenario_name) {
  const YamlNode node = write_point(point, scenario_name);
  point.resolved_yaml = emit_yaml(node);
  point.resolved_json = emit_json(node);
}

std::string resolve_scenario(const Scenario& scenario, const YamlNode& source,
                             const std::vector<Axis>& axes) {
  const YamlNode first = write_point(scenario.points.front(), scenario.name);
  YamlNode node = yaml_map();
  for (const YamlEntry& entry : first.entries) {
    node.set(entry.key, entry.value);
    if (entry.key == "name") node.set("description", yaml_text(scenario.description));
  }
  for (const Axis& axis : axes)
    for (const std::string& path : axis.paths) {
      const bool platform = path == "platform" || path.starts_with("platform.") ||
                            path == "groups" || path.starts_with("groups.");
      if (platform && !path.starts_with("platform.nic")) keep_topology(node, source);
      if (platform || path == "workload" || path.starts_with("workload."))
        keep_groups(node, source);
      keep_rebuilt_section(node, source, path);
      keep_unscaled_nic(node, source, path);
    }
  for (const char* key : {"allow", "sweep", "expect", "known"}) {
    const YamlNode* kept = source.find(key);
    if (kept && !kept->is_null()) node.set(key, *kept);
  }
  const Report report{scenario.figures};
  node.set("report", write_keys(report_keys(), &report));
  return emit_yaml(node);
}

}  // namespace latchlab
