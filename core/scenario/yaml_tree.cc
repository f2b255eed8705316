#include "core/scenario/yaml_tree.h"

#include <algorithm>
#include <utility>

namespace latchlab {

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

YamlNode& YamlNode::set(std::string key, YamlNode value) {
  if (YamlNode* present = find(key)) {
    *present = std::move(value);
    return *present;
  }
  Place where = value.place;
  entries.push_back({std::move(key), std::move(where), std::move(value)});
  return entries.back().value;
}

void YamlNode::erase(std::string_view key) {
  std::erase_if(entries, [&](const YamlEntry& entry) { return entry.key == key; });
}

YamlNode yaml_text(std::string text, Place place) {
  return {.kind = YamlKind::scalar, .text = std::move(text), .place = std::move(place)};
}

YamlNode yaml_map(Place place) {
  return {.kind = YamlKind::map, .place = std::move(place)};
}

YamlNode yaml_sequence(Place place) {
  return {.kind = YamlKind::sequence, .place = std::move(place)};
}

const YamlNode* find_path(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  for (std::size_t at = 0; node && at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    node = node->find(path.substr(at, dot - at));
    at = dot + 1;
  }
  return node;
}

YamlNode* find_path(YamlNode& root, std::string_view path) {
  return const_cast<YamlNode*>(find_path(std::as_const(root), path));
}

const char* kind_name(const YamlNode& node) {
  static const char* const names[] = {"nothing", "a single value", "a list", "a mapping"};
  return names[static_cast<std::size_t>(node.kind)];
}

}  // namespace latchlab
