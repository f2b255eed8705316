#include "core/scenario/resolved_values.h"

#include <fmt/format.h>

#include <utility>

#include "core/scenario/quantities.h"

namespace latchlab::resolved {

YamlNode literal(std::string yaml, std::string json) {
  YamlNode node = yaml_text(std::move(yaml));
  node.json = std::move(json);
  return node;
}
YamlNode number(std::uint64_t value) {
  return literal(format_count(static_cast<std::int64_t>(value)), fmt::format("{}", value));
}
YamlNode boolean(bool value) {
  const char* text = value ? "true" : "false";
  return literal(text, text);
}
YamlNode time(Duration value) {
  return yaml_text(format_duration(value));
}
YamlNode percent(std::int64_t ppb) {
  return literal(format_percent(ppb), format_decimal(ppb));
}
YamlNode exponent(std::int64_t ppb) {
  return literal(format_decimal(ppb), format_decimal(ppb));
}

}  // namespace latchlab::resolved
