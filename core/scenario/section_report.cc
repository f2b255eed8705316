#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {
namespace {

const YamlNode* require_list(const YamlNode* node, const std::string& path, const char* example) {
  if (!node || node->is_null()) return nullptr;
  if (!node->is_sequence())
    reject(node->place,
           fmt::format("{} holds {}; expected a list such as {}", path, kind_name(*node), example));
  return node;
}

std::string require_text(MapReader& reader, const char* key, const char* example) {
  return scalar(reader.require(key, example), reader.path_of(key), "a text");
}

// A mapping from paths to single values.
void check_where(const YamlNode* node, const std::string& path) {
  if (!node) return;
  MapReader reader(node, path, node->place);
  for (const YamlEntry& entry : node->entries)
    scalar(entry.value, reader.path_of(entry.key), "a single value");
}

void check_value(MapReader& reader) {
  const YamlNode& value = reader.require("value", "value: 278.3k");
  const std::string& text = scalar(value, reader.path_of("value"), "a number such as 278.3k");
  if (const Status number = check_number(text); !number)
    reject(value.place, reader.path_of("value") + ": " + number.error().message);
  reader.require("tolerance", "tolerance: 10%");
  reader.ratio_ppb("tolerance", 0, 0, 1'000'000'000'000);
}

void check_order(MapReader& reader) {
  require_text(reader, "over", "over: label");
  const YamlNode& order = reader.require("order", "order: [shiftlock, cas]");
  if (!order.is_sequence() || order.items.size() < 2)
    reject(order.place, reader.path_of("order") + ": expected a list of two or more, best first");
  for (const YamlNode& item : order.items) scalar(item, reader.path_of("order"), "single values");
}

void check_expectation(const YamlNode& node, const std::string& path) {
  MapReader first(&node, path, node.place);
  const std::size_t kind = read_choice(first.require("kind", "kind: value"), first.path_of("kind"),
                                       {"value", "ratio", "order"});
  MapReader reader(&node, path, node.place);
  for (const char* key : {"id", "kind", "metric", "where", "source", "use", "profile", "disputed"})
    reader.know(key);
  for (const char* key : {"value", "tolerance"})
    if (kind != 2) reader.know(key);
  if (kind != 0) reader.know("over");
  if (kind == 2) reader.know("order");
  reader.finish();
  require_text(reader, "id", "id: cas-ideal");
  require_text(reader, "metric", "metric: goodput_ops_s");
  require_text(reader, "source", "source: \"ShiftLock 2.3\"");
  read_choice(reader.require("use", "use: validation"), reader.path_of("use"),
              {"calibration", "validation", "regression"});
  check_where(reader.find_or_null("where"), reader.path_of("where"));
  if (kind == 2) {
    check_order(reader);
  } else {
    check_value(reader);
    if (kind == 1) check_where(&reader.require("over", "over: {label: cas}"), path + ".over");
  }
  reader.text("profile", "");
  reader.text("disputed", "");
}

}  // namespace

std::vector<Figure> read_report(const YamlNode* node) {
  std::vector<Figure> figures;
  if (!node || node->is_null()) return figures;
  MapReader report(node, "report", node->place);
  const YamlNode* list = require_list(report.find("figures"), "report.figures",
                                      "[{x: platform.clients_per_node, y: goodput_ops_s}]");
  report.finish();
  for (std::size_t i = 0; list && i < list->items.size(); ++i) {
    MapReader reader(&list->items[i], fmt::format("report.figures.{}", i), list->place);
    Figure figure;
    figure.x = require_text(reader, "x", "x: platform.clients_per_node");
    figure.y = require_text(reader, "y", "y: goodput_ops_s");
    figure.series = reader.text("series", "label");
    reader.finish();
    figures.push_back(std::move(figure));
  }
  return figures;
}

void check_expectations(const YamlNode* node) {
  const YamlNode* list = require_list(node, "expect", "[{id: ..., kind: value, ...}]");
  for (std::size_t i = 0; list && i < list->items.size(); ++i)
    check_expectation(list->items[i], fmt::format("expect.{}", i));
}

}  // namespace latchlab
