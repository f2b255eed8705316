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

}  // namespace latchlab
