#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "tools/latchlab/commands.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/hosts.h"
#include "tools/latchlab/lone_client.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/values.h"

namespace latchlab::tool {

namespace {

using Json = nlohmann::ordered_json;

// `where` is "file:line", or a source without line numbers.
Json error_json(const Error& error) {
  const std::size_t colon = error.where.rfind(':') + 1;
  const char* const end = error.where.data() + error.where.size();
  int line = 0;
  const auto [rest, bad] = std::from_chars(error.where.data() + colon, end, line);
  const bool has_line = colon > 0 && bad == std::errc() && rest == end;
  const std::string file = has_line ? error.where.substr(0, colon - 1) : error.where;
  return {{"file", file.empty() ? Json() : Json(file)},
          {"line", has_line ? Json(line) : Json()},
          {"message", error.message}};
}

// The distinct errors that would prevent a run.
std::vector<Error> refusals(const Scenario& scenario) {
  std::vector<Error> all;
  std::set<std::string> told;
  for (const Point& point : scenario.points)
    if (const std::string why = why_not_simulated(point); !why.empty() && told.insert(why).second)
      all.push_back({fmt::format("{} cannot run: {}", point.protocol.label, why), scenario.file});
  if (const Status fits = check_memory(scenario); !fits) all.push_back(fits.error());
  return all;
}

Json hosts_json(const Scenario& scenario) {
  Json all = Json::array();
  for (const Point& point : scenario.points) {
    Json nodes = Json::object();
    for (const auto& [node, host] : node_hosts(point)) nodes[node] = host;
    if (!nodes.empty() && std::find(all.begin(), all.end(), nodes) == all.end())
      all.push_back(std::move(nodes));
  }
  return all;
}

Json check_json(const Result<Scenario>& loaded, const std::vector<Error>& errors) {
  Json json = {{"schema", 1}, {"valid", errors.empty()}};
  if (loaded) {
    const Scenario& scenario = loaded.value();
    json.update({{"name", scenario.name},
                 {"file", scenario.file},
                 {"points", scenario.points.size()},
                 {"runs", repeats_of(scenario)},
                 {"expectations", scenario.expectations.size()},
                 {"estimate",
                  {{"seconds", estimate_seconds(scenario)},
                   {"mib", estimate_mib(scenario)},
                   {"verbs", estimate_verbs(scenario)}}},
                 {"warnings", scenario.warnings}});
    if (const Json hosts = hosts_json(scenario); !hosts.empty()) json["hosts"] = hosts;
  }
  json["errors"] = Json::array();
  for (const Error& error : errors) json["errors"].push_back(error_json(error));
  return json;
}

}  // namespace

int check(const CheckArguments& arguments) {
  auto loaded = load(arguments.input);
  const std::vector<Error> errors =
      loaded ? refusals(loaded.value()) : std::vector<Error>{loaded.error()};
  if (errors.empty())
    for (std::string& warning : lone_client_warnings(loaded.value()))
      loaded.value().warnings.push_back(std::move(warning));
  const int code = !loaded ? kBadInput : errors.empty() ? kFine : kCannot;
  if (arguments.json) {
    fmt::print("{}\n",
               check_json(loaded, errors).dump(1, ' ', false, Json::error_handler_t::replace));
    return code;
  }
  for (const Error& error : errors) complain(error, code);
  if (!loaded) return code;
  const Scenario& scenario = loaded.value();
  for (const std::string& warning : scenario.warnings) fmt::print("warning: {}\n", warning);
  if (code != kFine) return code;
  for (const std::string& line : describe_hosts(scenario)) fmt::print("{}\n", line);
  const std::size_t figures = scenario.expectations.size();
  fmt::print("{}: fine: {}, {}{}, {} and {:.0f} MiB on one core\n", scenario.file,
             counted(scenario.points.size(), "point"), counted(repeats_of(scenario), "run"),
             figures > 0 ? ", " + counted(figures, "expectation") : "",
             rough_time(estimate_seconds(scenario)), estimate_mib(scenario));
  return kFine;
}

}  // namespace latchlab::tool
