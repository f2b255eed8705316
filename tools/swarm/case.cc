#include "tools/swarm/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/protocols/registry.h"
#include "core/run/share.h"
#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab::swarm {

namespace {

// Mappings within mappings, in the order in which their keys were added.
struct Tree {
  std::string name, value;
  std::vector<Tree> parts;

  Tree& part(const std::string& key) {
    for (Tree& each : parts)
      if (each.name == key) return each;
    parts.push_back({key, {}, {}});
    return parts.back();
  }
  void add(const std::string& path, const std::string& text) {
    const std::string nic = "platform.nic.";
    if (path.starts_with(nic)) {  // the names of its constants have dots
      part("platform").part("nic").part(path.substr(nic.size())).value = text;
      return;
    }
    Tree* at = this;
    std::size_t begin = 0;
    for (std::size_t dot = 0; (dot = path.find('.', begin)) != std::string::npos; begin = dot + 1)
      at = &at->part(path.substr(begin, dot - begin));
    at->part(path.substr(begin)).value = text;
  }
  void write(std::string& text, const std::string& indent) const {
    for (const Tree& each : parts) {
      text += indent + each.name + ":";
      if (each.parts.empty()) {
        text += " " + each.value + "\n";
      } else {
        text += "\n";
        each.write(text, indent + "  ");
      }
    }
  }
};

constexpr Duration kLater = microseconds(50);

// Where a lock claims no progress, so that waiting for it tells nothing.
constexpr Duration kLongEnough = milliseconds(3);

std::string fault_text(const FaultSpec& fault) {
  std::string text = "kind: " + name_of(fault.kind);
  const auto add = [&text](const char* key, const auto& value) {
    text += fmt::format(", {}: {}", key, value);
  };
  if (fault.at) add("at", format_duration(*fault.at));
  switch (fault.kind) {
    case FaultKind::skip_release:
      add("probability", format_ppm(fault.probability_ppb));
      break;
    case FaultKind::client_crash:
    case FaultKind::process_crash:
      add("client", fault.client);
      break;
    case FaultKind::node_crash:
    case FaultKind::link_down:
      add("node", fault.node);
      if (fault.to) add("to", *fault.to);
      if (fault.outage) add("for", format_duration(*fault.outage));
      break;
    case FaultKind::pause:
    case FaultKind::slow_client:
    case FaultKind::drift:
      if (fault.target == FaultTarget::client) add("client", fault.index);
      if (fault.target == FaultTarget::client_node) add("client_node", fault.index);
      if (fault.target == FaultTarget::server) add("server", fault.index);
      if (fault.kind == FaultKind::pause) add("length", format_duration(fault.length));
      if (fault.kind == FaultKind::slow_client) add("factor", format_decimal(fault.factor_ppb));
      if (fault.jump.ps != 0) add("jump", format_duration(fault.jump));
      if (fault.drift_ppb) add("drift", format_ppm(*fault.drift_ppb));
      break;
  }
  return "{" + text + "}";
}

// A client that comes when the others have stopped asking, and takes each lock once.
std::string last_client(const Case& drawn) {
  std::string text =
      "  - name: last\n"
      "    workload:\n"
      "      retry_pause: 5us\n"
      "      arrivals:\n"
      "        kind: script\n"
      "        list:\n";
  for (std::uint64_t lock = 0; lock < drawn.locks; ++lock)
    text += fmt::format("          - {{at: {}, client: {}, lock: {}}}\n",
                        format_duration(drawn.early ? kLater : drawn.until + kLater),
                        drawn.clients(), lock);
  return text;
}

std::string quoted(const std::string& text) {
  std::string quoted;
  for (const char letter : text) {
    quoted += letter;
    if (letter == '\'') quoted += letter;
  }
  return "'" + quoted + "'";
}

}  // namespace

const Setting* Case::find(std::string_view path) const {
  for (const Setting& setting : settings)
    if (setting.path == path) return &setting;
  return nullptr;
}

void Case::set(const std::string& path, std::string value) {
  settings.push_back({path, std::move(value)});
}

void Case::set(const std::string& path, Duration value) {
  set(path, format_duration(value));
}

void Case::unset(std::string_view path) {
  std::erase_if(settings, [path](const Setting& setting) { return setting.path == path; });
}

std::string scenario_text(const Case& drawn, const std::string& name,
                          const std::string& description) {
  Tree top, locks, workers, protocol, run;
  top.add("schema", "1");
  top.add("name", name);
  if (!description.empty()) top.add("description", quoted(description));
  top.add("platform.servers", std::to_string(drawn.servers));
  if (drawn.colocated) top.add("platform.colocated", "true");
  locks.add("locks.count", std::to_string(drawn.locks));
  workers.add("workload.until", format_duration(drawn.until));
  protocol.add("protocol.name", drawn.protocol);
  for (const auto& [parameter, value] : drawn.forced)
    protocol.add("protocol." + parameter, text_of(value));
  for (const Setting& setting : drawn.settings) {
    const bool nic = setting.path.starts_with("platform.nic.");
    if (nic && drawn.find("platform.nic.base") == nullptr)
      top.add("platform.nic.base", "connectx-5");
    Tree& part = setting.path.starts_with("platform.")   ? top
                 : setting.path.starts_with("locks.")    ? locks
                 : setting.path.starts_with("workload.") ? workers
                                                         : protocol;
    part.add(setting.path, setting.value);
  }
  run.add("run.warmup", format_duration(drawn.calm_from));
  run.add("run.duration", format_duration(drawn.end - drawn.calm_from));
  run.add("run.seed", std::to_string(drawn.seed));
  std::string text;
  top.write(text, "");
  locks.write(text, "");
  text += fmt::format("groups:\n  - name: workers\n    nodes: {}\n    clients_per_node: {}\n",
                      drawn.nodes, drawn.per_node);
  workers.write(text, "    ");
  if (drawn.last) text += last_client(drawn);
  protocol.write(text, "");
  if (!drawn.faults.empty()) text += "faults:\n";
  for (const FaultSpec& fault : drawn.faults) text += "  - " + fault_text(fault) + "\n";
  run.write(text, "");
  return text;
}

Result<Scenario> scenario_of(Case& drawn, const std::string& name, const std::string& description,
                             const DataDirs& data) {
  drawn.end = std::max(drawn.end, drawn.until + microseconds(1));
  auto scenario = parse_scenario({scenario_text(drawn, name, description), name, {}}, {},
                                 protocol_infos(), data);
  if (!scenario) return scenario;
  Point& point = scenario.value().points.front();
  const ProtocolEntry& entry = *find_protocol(drawn.protocol);
  const Claims claims = claims_without(drawn.forced, point.protocol.params, entry.info);
  Duration wait = longest_wait(point, entry.info, claims);
  const std::vector<Mishap> mishaps = mishaps_of(point, entry, claims);
  if (!std::ranges::all_of(mishaps,
                           [&](Mishap mishap) { return claims.keeps(mishap, Keeps::progress); }))
    wait = std::min(wait, kLongEnough);
  if (drawn.early) {  // as long as it may wait, and as long again
    drawn.until = std::max(drawn.until, kLater + fair_wait(point, claims) * 2);
    point.groups.front().workload.until = drawn.until;
  }
  drawn.end = drawn.until + wait;
  point.run.duration = drawn.end - drawn.calm_from;
  return scenario;
}

Duration last_fault(const Case& drawn) {
  Duration over = microseconds(1);
  for (const FaultSpec& fault : drawn.faults)
    if (fault.at)
      over = std::max(over, *fault.at + fault.outage.value_or(Duration{}) + fault.length);
  return over;
}

const WorkloadSpec& workers_of(const Point& point) {
  return point.groups.empty() ? point.workload : point.groups.front().workload;
}

Duration retry_time(const NicModel& nic) {
  return nic.ack_timeout * (nic.ack_retries + 1) + nic.rnr_timer * (nic.rnr_retries + 1);
}

Claims claims_without(const ParamValues& forced, ParamSet params, const ProtocolInfo& info) {
  for (const auto& [name, value] : forced) params.set(name, info.find_param(name)->fallback);
  return info.claims_of(params);
}

namespace {

// The longest that one client has a lock, with what it takes to pass it on.
Duration turn_of(const Point& point) {
  const PlatformSpec& platform = point.platform;
  const WorkloadSpec& workload = workers_of(point);
  std::int64_t slowest = 1;
  for (const FaultSpec& fault : point.faults)
    slowest = std::max(slowest, fault.factor_ppb / kWholePpb + 1);
  const Duration way = platform.nic.one_way + platform.nic.jitter + platform.client_link_latency;
  return workload.critical_section + workload.retry_pause +
         (way * 16 + microseconds(20)) * slowest +
         (way * 2 + microseconds(5)) * (2 * workload.remote_ops);
}

}  // namespace

Duration fair_wait(const Point& point, const Claims& claims) {
  return turn_of(point) * (claims.turns * point.platform.clients());
}

Duration longest_wait(const Point& point, const ProtocolInfo& info, const Claims& claims) {
  const PlatformSpec& platform = point.platform;
  const ParamSet& params = point.protocol.params;
  Duration lock;
  for (const auto& of : {info.longest_timeout, info.longest_grant, info.longest_shared_grant})
    if (of) lock += of(params) * claims.timeouts;
  const auto turns = static_cast<std::int64_t>(std::uint64_t{platform.clients()} *
                                               workers_of(point).locks_per_section);
  const std::int64_t rounds = 4 + 2 * std::ssize(point.faults);
  const bool retries =
      platform.packet_loss_ppb > 0 || std::ranges::any_of(point.faults, [](const FaultSpec& fault) {
        return fault.kind != FaultKind::skip_release && fault.kind <= FaultKind::link_down;
      });
  if (retries) lock += retry_time(platform.nic) + platform.failure_detection;
  return milliseconds(1) + lock * rounds + turn_of(point) * (4 * turns);
}

Mishap mishap_of(const FaultSpec& fault, const PlatformSpec& platform) {
  switch (fault.kind) {
    case FaultKind::skip_release:
      return Mishap::forgotten_release;
    case FaultKind::client_crash:
      return Mishap::client_crash;
    case FaultKind::process_crash:
      return Mishap::process_crash;
    case FaultKind::node_crash:
      if (fault.node >= platform.servers) return Mishap::node_crash;
      return fault.outage ? Mishap::server_crash : Mishap::server_loss;
    case FaultKind::link_down:
      return fault.outage ? Mishap::cut_path : Mishap::long_cut;
    case FaultKind::pause:
      return fault.target == FaultTarget::server ? Mishap::server_pause : Mishap::pause;
    case FaultKind::slow_client:
      return Mishap::slow_client;
    case FaultKind::drift:
      break;
  }
  return Mishap::clock_jump;
}

namespace {

// For how long all packets of one verb may be lost: each of several cuts may swallow another of its
// attempts.
Duration lost_time(const Point& point) {
  const NicModel& nic = point.platform.nic;
  Duration lost;
  if (point.platform.packet_loss_ppb > 0) lost = nic.ack_timeout * 3;
  for (const FaultSpec& fault : point.faults)
    if (fault.kind == FaultKind::link_down && fault.outage) lost += *fault.outage + nic.ack_timeout;
  return lost;
}

}  // namespace

Duration landing_time(const Point& point) {
  const PlatformSpec& platform = point.platform;
  const NicModel& nic = platform.nic;
  const Duration retries = std::min(lost_time(point), nic.ack_timeout * (nic.ack_retries + 1));
  std::int64_t slowest = 1;
  for (const FaultSpec& fault : point.faults)
    slowest = std::max(slowest, fault.factor_ppb / kWholePpb);
  return nic.one_way + nic.jitter + platform.client_link_latency + nic.post * slowest +
         nanoseconds(300) * platform.clients() + microseconds(2) + retries;
}

bool receives_datagrams(const ProtocolEntry& entry, const ParamSet& params) {
  const Layout layout = entry.make(params)->layout({});
  const auto is = [](const EndpointPlan& plan) {
    return plan.recvs > 0 && plan.transport == Transport::ud;
  };
  return is(layout.client_endpoint) || is(layout.node_endpoint);
}

std::vector<Mishap> mishaps_of(const Point& point, const ProtocolEntry& entry,
                               const Claims& claims) {
  std::set<Mishap> all;
  if (lost_time(point) >= point.platform.nic.ack_timeout * point.platform.nic.ack_retries)
    all.insert(Mishap::long_cut);
  for (const FaultSpec& fault : point.faults) {
    all.insert(mishap_of(fault, point.platform));
    if (point.platform.colocated && fault.kind == FaultKind::node_crash && !fault.outage)
      all.insert(Mishap::node_crash);
  }
  const bool datagrams = receives_datagrams(entry, point.protocol.params);
  if (point.platform.packet_loss_ppb > 0) {
    all.insert(Mishap::packet_loss);
    if (datagrams) all.insert(Mishap::lost_datagram);
  }
  if (datagrams && point.platform.datagrams.loss_ppb > 0) all.insert(Mishap::lost_datagram);
  if (datagrams && point.platform.datagrams.reorder_ppb > 0) all.insert(Mishap::late_datagram);
  if (claims.effects_within.ps != 0 && landing_time(point) > claims.effects_within)
    all.insert(Mishap::late_verb);
  if (claims.ways_within.ps != 0 && landing_time(point) > claims.ways_within)
    all.insert(Mishap::slow_network);
  return {all.begin(), all.end()};
}

std::vector<bool> mortal_clients(const Point& point) {
  const WorldShape shape = shape_of(point, 0);
  std::vector<bool> mortal(shape.clients());
  for (const FaultSpec& fault : point.faults) {
    if (fault.kind == FaultKind::client_crash || fault.kind == FaultKind::process_crash)
      mortal[fault.client] = true;
    if (fault.kind != FaultKind::node_crash || fault.outage) continue;
    for (std::uint32_t i = 0; i < shape.clients(); ++i)
      if (shape.node_of(ClientId{i}).value == fault.node + 1) mortal[i] = true;
  }
  return mortal;
}

}  // namespace latchlab::swarm
