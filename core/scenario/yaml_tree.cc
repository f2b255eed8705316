#include "core/scenario/yaml_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/json.h"

namespace latchlab {
namespace {

constexpr std::size_t kWidth = 96;

bool safe_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '/' || c == '%' || c == '+' || c == '-' || c == ' ';
}

// True if the text can be read back without quotes, in block and in flow form.
bool plain(const std::string& text) {
  if (text.empty() || text.back() == ' ') return false;
  const char first = text.front();
  if (first == ' ' || first == '-' || first == '%') return false;
  if (text.starts_with("..") || text == "null" || text == "Null" || text == "NULL") return false;
  for (const char c : text)
    if (!safe_char(c)) return false;
  return true;
}

std::string scalar_text(const std::string& text) {
  if (plain(text)) return text;
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + "\"";
}

// Appends the one-line form; returns false as soon as `out` exceeds `limit`.
bool flow(const YamlNode& node, std::size_t limit, std::string& out) {
  if (node.is_null() || node.is_scalar()) {
    out += node.is_null() ? "null" : scalar_text(node.text);
    return out.size() <= limit;
  }
  out += node.is_map() ? "{" : "[";
  const char* separator = "";
  for (const YamlNode& item : node.items) {
    out += separator;
    if (!flow(item, limit, out)) return false;
    separator = ", ";
  }
  for (const YamlEntry& entry : node.entries) {
    out += separator + scalar_text(entry.key) + ": ";
    if (!flow(entry.value, limit, out)) return false;
    separator = ", ";
  }
  out += node.is_map() ? "}" : "]";
  return out.size() <= limit;
}

void block(const YamlNode& node, std::size_t indent, std::string& out);

// Writes the value after "key:" or "-": on the same line if it fits, else as a block below.
void value(const YamlNode& node, std::size_t used, std::size_t indent, bool in_list,
           std::string& out) {
  const bool leaf = node.items.empty() && node.entries.empty();
  std::string line;
  if (flow(node, leaf ? std::string::npos : kWidth - std::min(kWidth, used + 1), line)) {
    out += " " + line + "\n";
    return;
  }
  std::string below;
  block(node, indent, below);
  if (in_list)
    out += " " + below.substr(indent);
  else
    out += "\n" + below;
}

void block(const YamlNode& node, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (const YamlNode& item : node.items) {
    out += margin + "-";
    value(item, indent + 1, indent + 2, true, out);
  }
  for (const YamlEntry& entry : node.entries) {
    const std::string key = margin + scalar_text(entry.key) + ":";
    out += key;
    value(entry.value, key.size(), indent + 2, false, out);
  }
}

Json json_of(const YamlNode& node) {
  if (!node.json.empty()) return parse_json(node.json);
  switch (node.kind) {
    case YamlKind::null:
      return nullptr;
    case YamlKind::scalar:
      return node.text;
    case YamlKind::sequence: {
      Json list = Json::array();
      for (const YamlNode& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case YamlKind::map:
      break;
  }
  Json object = Json::object();
  for (const YamlEntry& entry : node.entries) object[entry.key] = json_of(entry.value);
  return object;
}

}  // namespace

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
  SourceLocation where = value.place;
  entries.push_back({std::move(key), std::move(where), std::move(value)});
  return entries.back().value;
}

void YamlNode::erase(std::string_view key) {
  std::erase_if(entries, [&](const YamlEntry& entry) { return entry.key == key; });
}

YamlSize size_of(const YamlNode& node) {
  YamlSize all{1, node.text.size()};
  const auto add = [&](const YamlNode& part, std::size_t nodes, std::size_t bytes) {
    const YamlSize size = size_of(part);
    all.nodes += size.nodes + nodes;
    all.bytes += size.bytes + bytes;
  };
  for (const YamlNode& item : node.items) add(item, 0, 0);
  for (const YamlEntry& entry : node.entries) add(entry.value, 1, entry.key.size());
  return all;
}

YamlNode yaml_node(YamlKind kind, SourceLocation place) {
  YamlNode node;
  node.kind = kind;
  node.place = std::move(place);
  return node;
}

YamlNode yaml_text(std::string text, SourceLocation place) {
  YamlNode node = yaml_node(YamlKind::scalar, std::move(place));
  node.text = std::move(text);
  return node;
}

YamlNode yaml_map(SourceLocation place) {
  return yaml_node(YamlKind::map, std::move(place));
}

YamlNode yaml_sequence(SourceLocation place) {
  return yaml_node(YamlKind::sequence, std::move(place));
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

bool is_block(const YamlNode& node) {
  return node.is_scalar() && node.text.find('\n') != std::string::npos;
}

const char* kind_name(const YamlNode& node) {
  static const char* const names[] = {"nothing", "a single value", "a list", "a mapping"};
  if (is_block(node)) return "a block of text (after | or >)";
  return names[static_cast<std::size_t>(node.kind)];
}

std::string emit_yaml(const YamlNode& node) {
  if (!node.is_map()) return emit_yaml_flow(node) + "\n";
  std::string out;
  block(node, 0, out);
  return out;
}

std::string emit_yaml_flow(const YamlNode& node) {
  std::string line;
  flow(node, std::string::npos, line);
  return line;
}

std::string emit_json(const YamlNode& node) {
  return dump_json(json_of(node));
}

}  // namespace latchlab
