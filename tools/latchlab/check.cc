#include "tools/latchlab/check.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/conclude/values.h"
#include "core/protocols/registry.h"
#include "core/run/child.h"
#include "core/scenario/quantities.h"
#include "core/scenario/scenario_keys.h"
#include "tools/latchlab/backends.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/progress.h"

namespace latchlab::tool {

namespace {
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
    fmt::print("{}\n", dump_json(check_json(loaded, errors), 1));
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

namespace {

constexpr Duration kShort = milliseconds(2);
constexpr Duration kLong = milliseconds(50);
constexpr int kDoublings = 8;

// The point reduced to one client of its first group, which only acquires and releases.
Point alone(const Point& point) {
  Point one = point;
  if (!point.groups.empty()) one.workload = point.groups.front().workload;
  one.groups.clear();
  one.platform.groups.clear();
  one.platform.client_nodes = one.platform.clients_per_node = 1;
  one.platform.topology = {};  // a star, because other topologies may need more nodes
  one.workload.critical_section = one.workload.think_time = {};
  one.workload.arrivals = {};
  one.workload.file.roles = {};
  one.faults.clear();
  one.run = {};
  one.run.warmup = Duration{};
  one.run.seed = point.run.seed;
  one.run.on_violation = OnViolation::record;
  return one;
}

class Asking {
 public:
  explicit Asking(BackendFactory make_backend) : make_backend_(std::move(make_backend)) {}

  // Whether the client acquires a lock; nullopt: the run failed to answer that.
  std::optional<bool> is_granted(const Point& one) const {
    const Duration wire = one.platform.nic.one_way * 500;
    std::optional<bool> granted;
    for (const Duration window : {std::max(kShort, wire), std::max(kLong, wire)}) {
      granted = is_granted_in(one, window);
      if (granted.value_or(true)) break;
    }
    return granted;
  }

 private:
  std::optional<bool> is_granted_in(Point one, Duration window) const {
    one.run.duration = window;
    auto child = ChildRepeat::start(one, *find_protocol(one.protocol.name), 0, make_backend_);
    if (!child) return std::nullopt;
    while (!child.value().drain()) {
    }
    const RepeatOutcome outcome = child.value().finish();
    if (outcome.metrics.acquire.count() > 0) return true;
    if (outcome.metrics.aborted_acquisitions.value_or(0) == 0) return std::nullopt;
    return false;
  }

  BackendFactory make_backend_;
};

// A parameter and its smallest value among the default and its doublings with which the client
// acquires the lock.
struct Remedy {
  std::string name;
  Duration value;
};
std::optional<Remedy> remedy_for(const Point& one, const Asking& asking) {
  for (const ParamSpec& spec : find_protocol(one.protocol.name)->info.params) {
    if (spec.kind != ParamKind::duration) continue;
    const Duration given = one.protocol.params.duration(spec.name);
    const Duration usual = std::get<Duration>(spec.fallback);
    if (given.ps <= 0) continue;  // off
    Duration longer = given < usual ? usual : given * 2;
    for (int i = 0; i < kDoublings && longer.ps <= spec.max; ++i, longer = longer * 2) {
      Point changed = one;
      changed.protocol.params.set(spec.name, longer);
      if (asking.is_granted(changed).value_or(false)) return Remedy{spec.name, longer};
    }
  }
  return std::nullopt;
}

std::string warning_of(const Point& one, const Asking& asking) {
  const std::optional<Remedy> remedy = remedy_for(one, asking);
  std::string what = fmt::format(
      "{} never grants its lock with these parameters on {}: all acquisitions of a client that is "
      "alone fail",
      one.protocol.label, one.platform.nic.name);
  if (!remedy) return what;
  return fmt::format("{}; protocol.{} is {}: set it to {}", what, remedy->name,
                     format_duration(one.protocol.params.duration(remedy->name)),
                     format_duration(remedy->value));
}

// The swept settings on which a single client's acquisition depends, as a cache key.
std::string identity(const Point& one) {
  std::string text = one.protocol.name + " " + one.platform.nic.name;
  for (const ConstantOrigin& origin : one.platform.nic.origins)
    text += " " + origin.key + "=" + origin.value + origin.scaled;
  for (const auto& [name, value] : one.protocol.params.values())
    text += fmt::format(" {}={}", name, text_of(value));
  return text;
}

}  // namespace

std::vector<std::string> lone_client_warnings(const Scenario& scenario) {
  std::vector<std::string> warnings;
  const Result<BackendFactory> simulator = backend_factory("simgrid");
  if (!simulator) return warnings;
  const Asking asking(simulator.value());
  std::map<std::string, bool> asked;
  for (const Point& point : scenario.points) {
    const Point one = alone(point);
    if (!why_not_simulated(one).empty() || !asked.emplace(identity(one), true).second) continue;
    if (asking.is_granted(one).value_or(true)) continue;
    warnings.push_back(warning_of(one, asking));
  }
  return warnings;
}

}  // namespace latchlab::tool
