#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/scenario/yaml_tree.h"

namespace latchlab {
namespace {

constexpr std::size_t kColumns = 96;

bool safe_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '/' || c == '%' || c == '+' || c == '-' || c == ' ';
}

// Reads back as the same text without quotes, in block and in flow form.
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

std::string flow(const YamlNode& node) {
  if (node.is_null()) return "null";
  if (node.is_scalar()) return scalar_text(node.text);
  std::string inside;
  for (const YamlNode& item : node.items) inside += (inside.empty() ? "" : ", ") + flow(item);
  for (const YamlEntry& entry : node.entries)
    inside += (inside.empty() ? "" : ", ") + scalar_text(entry.key) + ": " + flow(entry.value);
  return node.is_map() ? "{" + inside + "}" : "[" + inside + "]";
}

void block(const YamlNode& node, std::size_t indent, std::string& out);

// What follows "key:" or "-": a value on the same line when it fits, else a block below.
void value(const YamlNode& node, std::size_t used, std::size_t indent, bool in_list,
           std::string& out) {
  const std::string line = flow(node);
  const bool empty = node.items.empty() && node.entries.empty();
  if (empty || used + 1 + line.size() <= kColumns) {
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

nlohmann::ordered_json json_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlKind::null:
      return nullptr;
    case YamlKind::scalar:
      if (node.json.empty()) return node.text;
      return nlohmann::ordered_json::parse(node.json);
    case YamlKind::sequence: {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const YamlNode& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case YamlKind::map:
      break;
  }
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const YamlEntry& entry : node.entries) object[entry.key] = json_of(entry.value);
  return object;
}

}  // namespace

std::string emit_yaml(const YamlNode& node) {
  if (!node.is_map()) return flow(node) + "\n";
  std::string out;
  block(node, 0, out);
  return out;
}

std::string emit_yaml_flow(const YamlNode& node) {
  return flow(node);
}

std::string emit_json(const YamlNode& node) {
  return json_of(node).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace latchlab
