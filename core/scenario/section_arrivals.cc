// When sections begin in an open loop.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"
#include "core/scenario/text_file.h"

namespace latchlab {
namespace {

constexpr std::size_t kMostArrivals = 100'000;
constexpr std::int64_t kHighestRate = 1'000'000'000;
constexpr std::int64_t kHighestLock = std::numeric_limits<std::int64_t>::max();
const std::vector<std::string> kModes = {"exclusive", "shared", "update"};
const std::vector<std::string> kColumns = {"at", "client", "lock", "mode"};

ScriptedArrival read_arrival(const YamlNode& node, const std::string& path) {
  MapReader reader(&node, path, node.place);
  ScriptedArrival arrival;
  arrival.at = read_duration(reader.require("at", "at: 10us"), reader.path_of("at"), Duration{0},
                             seconds(3600));
  reader.require("client", "client: 0");
  arrival.client = static_cast<std::uint32_t>(reader.count("client", 0, 0, kMostClients - 1));
  reader.require("lock", "lock: 0");
  arrival.lock = static_cast<std::uint64_t>(reader.count("lock", 0, 0, kHighestLock));
  arrival.mode = static_cast<ScriptedArrival::Mode>(reader.choice("mode", 0, kModes));
  reader.finish();
  return arrival;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else if (c != ' ' && c != '\r')
      cells.back() += c;
  }
  return cells;
}

// As a list of the script's: a mapping for each line, in whose place it is.
YamlNode list_of(const std::string& text, const std::string& file) {
  YamlNode list = yaml_sequence();
  const auto source = std::make_shared<const std::string>(file);
  int number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::vector<std::string> cells = cells_of(text.substr(at, end - at));
    at = end + 1;
    const Place place{source, number + 1};
    if (number == 0 && cells != kColumns)
      reject(place, "a script begins with the line 'at,client,lock,mode'");
    if (number == 0 || cells == std::vector<std::string>{""}) continue;
    if (cells.size() != kColumns.size())
      reject(place, fmt::format("{} cells; expected at,client,lock,mode, such as 10us,0,3,shared",
                                cells.size()));
    YamlNode& row = list.items.emplace_back(yaml_map());
    row.place = place;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      YamlNode cell = yaml_text(cells[i]);
      cell.place = place;
      row.set(kColumns[i], std::move(cell));
    }
  }
  return list;
}

YamlNode read_script_file(const YamlNode& file, const std::string& directory) {
  const std::string& given = scalar(file, "workload.arrivals.file", "a path such as arrivals.csv");
  const bool relative = !given.starts_with('/');
  const std::string path = relative && !directory.empty() && is_file(directory + "/" + given)
                               ? directory + "/" + given
                               : given;
  if (!is_file(path))
    reject(file.place, fmt::format("workload.arrivals.file: there is no file '{}'", given));
  const Result<std::string> text = read_text_file(path);
  if (!text) reject(file.place, "workload.arrivals.file: " + text.error().message);
  return list_of(text.value(), path);
}

std::vector<ScriptedArrival> read_script(MapReader& reader, const std::string& directory) {
  const YamlNode* file = reader.find("file");
  const YamlNode* list = reader.find("list");
  if ((file == nullptr) == (list == nullptr))
    reject(reader.place(),
           "workload.arrivals: a script needs either a file or a list; write one of 'file: "
           "arrivals.csv' and 'list: [{at: 10us, client: 0, lock: 3}]'");
  const YamlNode rows = file ? read_script_file(*file, directory) : *list;
  if (!rows.is_sequence() || rows.items.empty() || rows.items.size() > kMostArrivals)
    reject(reader.place(), fmt::format("workload.arrivals: a script has 1 to {} arrivals, each as "
                                       "{{at: 10us, client: 0, lock: 3}}",
                                       kMostArrivals));
  std::vector<ScriptedArrival> script;
  for (std::size_t i = 0; i < rows.items.size(); ++i)
    script.push_back(read_arrival(rows.items[i], fmt::format("workload.arrivals.list.{}", i)));
  return script;
}

}  // namespace

ArrivalSpec read_arrivals(const YamlNode* node, const std::string& directory) {
  ArrivalSpec spec;
  if (!node) return spec;
  MapReader reader(node, "workload.arrivals", node->place);
  const YamlNode& kind = reader.require("kind", "kind: poisson");
  if (read_choice(kind, reader.path_of("kind"), {"poisson", "script"}) == 0) {
    spec.kind = ArrivalKind::poisson;
    reader.require("rate", "rate: 1M");
    spec.per_second = reader.count("rate", 0, 1, kHighestRate);
  } else {
    spec.kind = ArrivalKind::script;
    spec.script = read_script(reader, directory);
  }
  reader.finish();
  return spec;
}

YamlNode write_arrivals(const ArrivalSpec& spec) {
  if (spec.kind == ArrivalKind::none) return {};
  const auto number = [](std::uint64_t value) {
    YamlNode node = yaml_text(format_count(static_cast<std::int64_t>(value)));
    node.json = fmt::format("{}", value);
    return node;
  };
  YamlNode node = yaml_map();
  if (spec.kind == ArrivalKind::poisson) {
    node.set("kind", yaml_text("poisson"));
    node.set("rate", number(static_cast<std::uint64_t>(spec.per_second)));
    return node;
  }
  node.set("kind", yaml_text("script"));
  YamlNode list = yaml_sequence();
  for (const ScriptedArrival& arrival : spec.script) {
    YamlNode& row = list.items.emplace_back(yaml_map());
    row.set("at", yaml_text(format_duration(arrival.at)));
    row.set("client", number(arrival.client));
    row.set("lock", number(arrival.lock));
    row.set("mode", yaml_text(kModes[static_cast<std::size_t>(arrival.mode)]));
  }
  node.set("list", std::move(list));
  return node;
}

}  // namespace latchlab
