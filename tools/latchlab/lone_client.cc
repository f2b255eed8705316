#include "tools/latchlab/lone_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/protocols/registry.h"
#include "core/scenario/quantities.h"
#include "core/scenario/scenario_keys.h"
#include "core/study/child.h"
#include "tools/latchlab/run_one.h"

namespace latchlab::tool {

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
