// When sections begin in an open loop.

#include <memory>

#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

constexpr std::size_t kMostArrivals = 100'000;
const std::vector<std::string> kArrivalColumns = {"at", "client", "lock", "mode"};

const Keys& arrival_list_keys() {
  using Arrival = ScriptedArrival;
  static const Keys keys = rows<Arrival>({
      {"at", number(duration, &Arrival::at, "0us", "3600s"), "10us",
       "Time since the start of the run, on the client's clock.", kRequired},
      {"client", number(count, &Arrival::client), "0", "The client that runs the section, from 0.",
       kRequired},
      {"lock", number(count, &Arrival::lock), "0", "The lock that the section acquires, from 0.",
       kRequired},
      {"mode", words({"exclusive", "shared", "update"}, &Arrival::mode), "shared",
       "The mode in which it acquires the lock."},
  });
  return keys;
}

// The lines of a CSV script as a list of mappings, each with its line as place.
YamlNode list_of(std::string text, const std::string& file) {
  YamlNode list = yaml_sequence();
  std::erase_if(text, [](char c) { return c == ' ' || c == '\r'; });
  const auto source = std::make_shared<const std::string>(file);
  SourceLocation place{source, 0};
  for (const std::string& line : split(text, '\n')) {
    ++place.line;
    const std::vector<std::string> cells = split(line, ',');
    if (place.line == 1 && cells != kArrivalColumns)
      reject(place, "a script begins with the line 'at,client,lock,mode'");
    if (place.line == 1 || line.empty()) continue;
    if (cells.size() != kArrivalColumns.size())
      reject(place, "{} cells; expected at,client,lock,mode, such as 10us,0,3,shared",
             cells.size());
    YamlNode& row = list.items.emplace_back(yaml_map(place));
    for (std::size_t i = 0; i < cells.size(); ++i)
      row.set(kArrivalColumns[i], yaml_text(cells[i], place));
  }
  return list;
}

YamlNode read_script_file(const YamlNode& file, const Files& files) {
  const std::string& given = scalar(file, "workload.arrivals.file", "a path such as arrivals.csv");
  const std::string path = named_by_scenario(given, files);
  if (!is_file(path)) reject(file.place, "workload.arrivals.file: there is no file '{}'", given);
  const Result<std::string> text = read_text_file(path);
  if (!text) reject(file.place, "workload.arrivals.file: " + text.error().message);
  return list_of(text.value(), path);
}

}  // namespace

const Keys& arrival_keys() {
  using Spec = ArrivalSpec;
  const auto kind = words<Spec>(
      {"poisson", "script"}, [](const Spec& spec) { return static_cast<int>(spec.kind) - 1; },
      [](Spec& spec, std::int64_t value) { assign(spec.kind, value + 1); });
  static const Keys keys = rows<Spec>({
      {"kind", kind, "poisson",
       "poisson: random arrivals, independent for each client; script: the times given.",
       kRequired},
      {"rate", number(count, &Spec::per_second, "1", "1G"), "1M",
       "Sections per second, over all clients (in a group: over the group's clients).", kRequired,
       "poisson"},
      {"file", said<Spec>(text), "arrivals.csv",
       "CSV file in place of `list`: the header line at,client,lock,mode, then one line for each "
       "arrival. A relative path starts at the scenario's directory.",
       "script"},
      {"list", items(&Spec::script, arrival_list_keys, kMostArrivals),
       "[{at: 10us, client: 0, lock: 0, mode: shared}]",
       "The arrivals, at most 100000, in place of `file`; in a group those of its clients.",
       "script"},
  });
  return keys;
}

void finish_arrivals(const YamlNode* workload, const Files& files, ArrivalSpec& arrivals) {
  const YamlNode* node = workload ? workload->find("arrivals") : nullptr;
  if (!node || arrivals.kind != ArrivalKind::script) return;
  const YamlNode* file = node->find("file");
  if ((file == nullptr) == (node->find("list") == nullptr))
    reject(node->place,
           "workload.arrivals: a script needs either a file or a list; write one of 'file: "
           "arrivals.csv' and 'list: [{at: 10us, client: 0, lock: 3}]'");
  const ScenarioKey& list = find_key(arrival_keys(), "list");
  if (file) list.read({list, read_script_file(*file, files), "workload.arrivals.list"}, &arrivals);
  if (arrivals.script.empty())
    reject(node->place,
           "workload.arrivals: a script has 1 to {} arrivals, each as {{at: 10us, client: 0, lock: "
           "3}}",
           kMostArrivals);
}

}  // namespace latchlab
