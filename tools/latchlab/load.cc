#include "tools/latchlab/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "core/conclude/figure_lines.h"
#include "core/conclude/scoring.h"
#include "core/protocols/registry.h"
#include "core/protocols/run_advice.h"
#include "core/run/share.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/yaml_tree.h"
#include "tools/latchlab/backends.h"

namespace latchlab::tool {

namespace fs = std::filesystem;

int complain(const Error& error, int code) {
  fmt::print(stderr, "latchlab: {}\n", error.text());
  return code;
}

namespace {

// The file `given`, otherwise NAME or NAME.yaml below scenarios/ of a data directory; empty: none.
std::string find_scenario(const std::string& given, const DataDirs& data) {
  std::error_code error;
  if (fs::exists(given, error) && !fs::is_directory(given, error)) return given;
  for (const std::string& dir : data.dirs) {
    for (const char* ending : {"", ".yaml"}) {
      const fs::path path = fs::path(dir) / "scenarios" / (given + ending);
      if (fs::is_regular_file(path, error)) return path.string();
    }
  }
  return fs::exists(given, error) ? given : std::string();
}

// Reads at most one byte more than the longest accepted scenario.
Result<Scenario> load_stdin(const std::vector<Override>& overrides, const DataDirs& data) {
  std::string text(kLongestYamlBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  return parse_scenario({std::move(text), "stdin", "."}, overrides, protocol_infos(), data);
}

// The cache key of a point's traces, so that a sweep reads each trace only once.
std::string trace_key(const Point& point) {
  std::string key = fmt::format("{} {}", point.locks.count, point.platform.clients());
  for_each_workload(point, [&](const WorkloadSpec& spec) {
    for (const std::string& file : {spec.trace.file, spec.objects.trace}) {
      std::error_code none;
      key += fmt::format("|{}|{}|{}", file, fs::file_size(file, none),
                         fs::last_write_time(file, none).time_since_epoch().count());
    }
    key +=
        fmt::format("|{}{}{}", spec.trace.fisslock, spec.trace.merge_duplicates, spec.objects.most);
  });
  return key;
}

bool replays(const Point& point) {
  bool found = false;
  for_each_workload(point, [&](const WorkloadSpec& spec) {
    found = found || spec.kind == WorkloadKind::trace || !spec.objects.trace.empty();
  });
  return found;
}

// If a point exceeds the limits of its lock, the lock is unavailable there and the other points
// run. Error: no point can run.
Status check_limits(const Scenario& scenario) {
  std::string first;
  bool any_fits = false;
  for (const Point& point : scenario.points) {
    const auto held = locks_held(point);
    if (!held) return held.error();
    const auto protocol = find_protocol(point.protocol.name)->make(point.protocol.params);
    std::string over = limits_exceeded(point, *protocol, held.value());
    any_fits = any_fits || over.empty();
    if (first.empty()) first = std::move(over);
  }
  if (any_fits) return fine();
  return Error{std::move(first), scenario.file};
}

bool servers_fail(const Point& point) {
  const std::uint32_t servers = point.platform.servers;
  return std::any_of(point.faults.begin(), point.faults.end(), [&](const FaultSpec& fault) {
    const bool of_nodes = fault.kind == FaultKind::node_crash || fault.kind == FaultKind::link_down;
    return of_nodes && (fault.node < servers || (fault.to && *fault.to < servers));
  });
}

void add_advice(const Point& point, const Protocol& protocol, std::set<std::string>& told,
                Scenario& scenario) {
  const RunAdvice* const adviser = run_advice_of(protocol);
  if (adviser == nullptr) return;
  const AdvisedRun run{shape_for_protocols(shape_of(point, point.run.seed)), servers_fail(point)};
  for (const std::string& line : adviser->advice(run))
    if (const std::string text = point.protocol.label + ": " + line; told.insert(text).second)
      scenario.warn({WarningKind::advice, text});
}

}  // namespace

Result<std::uint32_t> locks_held(const Point& point) {
  static std::map<std::string, std::uint32_t> known;
  const std::string key = replays(point) ? trace_key(point) : "";
  if (const auto found = known.find(key); !key.empty() && found != known.end())
    return found->second;
  auto held = held_at_once(point);
  if (held && !key.empty()) known.emplace(key, held.value());
  return held;
}

std::vector<std::string> names_below(const std::string& folder, const DataDirs& data) {
  std::set<std::string> names;
  for (const std::string& dir : data.dirs) {
    const fs::path root = fs::path(dir) / folder;
    std::error_code error;
    for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
         at.increment(error)) {
      if (at->path().extension() != ".yaml") continue;
      fs::path relative = at->path().lexically_relative(root);
      names.insert(relative.replace_extension().string());
    }
  }
  return {names.begin(), names.end()};
}

Result<Scenario> load(const ScenarioArguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& set : arguments.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{fmt::format("--set {}: expected PATH=VALUE, for example locks.count=1", set),
                   {}};
    overrides.push_back({set.substr(0, equals), set.substr(equals + 1)});
  }
  if (arguments.seed) overrides.push_back({"run.seed", std::to_string(*arguments.seed)});
  if (arguments.repeats) overrides.push_back({"run.repeats", std::to_string(*arguments.repeats)});
  const DataDirs data = data_dirs(arguments.data);
  const bool from_stdin = arguments.scenario == "-";
  const std::string path = from_stdin ? "-" : find_scenario(arguments.scenario, data);
  if (path.empty()) {
    const std::string near = nearest(arguments.scenario, names_below("scenarios", data));
    return Error{"there is no file and no scenario of this name" +
                     (near.empty() ? "; all scenarios: latchlab list scenarios"
                                   : "; did you mean '" + near + "'?"),
                 arguments.scenario};
  }
  auto scenario = from_stdin ? load_stdin(overrides, data)
                             : load_scenario(path, overrides, protocol_infos(), data);
  if (!scenario) return scenario;
  if (const Status metrics = check_metrics(scenario.value()); !metrics) return metrics.error();
  if (const Status named = name_figures(scenario.value()); !named) return named.error();
  if (const Status limits = check_limits(scenario.value()); !limits) return limits.error();
  std::set<std::string> told;
  for (const Point& point : scenario.value().points) {
    const auto protocol = find_protocol(point.protocol.name)->make(point.protocol.params);
    add_advice(point, *protocol, told, scenario.value());
  }
  if (const Status usable = check_platform_files(scenario.value()); !usable) return usable.error();
  return scenario;
}

}  // namespace latchlab::tool
