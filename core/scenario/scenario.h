#pragma once
// A scenario as the rest of the program sees it: typed, every default filled in, every sweep
// expanded into points. Only the parser (scenario/parser.cc) knows YAML.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/params.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/scenario/expectation.h"
#include "core/scenario/node_hardware.h"
#include "core/scenario/topology.h"
#include "core/scenario/workload_spec.h"

namespace latchlab {

// The CPU that answers calls; what is not given is as the NIC's file has it (`server`).
struct ServerCpuSpec {
  std::optional<std::uint32_t> cores;  // of each server
  std::optional<Duration> call_service;

  bool operator==(const ServerCpuSpec&) const = default;
};

// Nodes of clients that are alike.
struct ClientGroup {
  std::uint32_t nodes = 1;
  std::uint32_t clients_per_node = 1;

  std::uint32_t clients() const { return nodes * clients_per_node; }
};

struct PlatformSpec {
  NicModel nic;
  TopologySpec topology;
  BulkSpec bulk;
  DatagramSpec datagrams;
  std::uint32_t servers = 1;
  std::uint32_t client_nodes = 1;
  std::uint32_t clients_per_node = 1;
  // In place of the two above, which are then the sum of the nodes and the most on any of them.
  std::vector<ClientGroup> groups;
  bool colocated = false;                  // client node i is server i
  Duration client_link_latency;            // extra one-way latency between client nodes
  std::uint32_t client_nodes_per_nic = 1;  // so many in a row, of one group, share an RNIC
  ClockSpec clocks;
  QpOwner qps = QpOwner::client;
  std::uint32_t cores = 0;  // per client node, shared by its clients; 0: each has its own
  CoreSharing core_sharing = CoreSharing::turns;
  ServerCpuSpec server_cpu;
  Duration failure_detection = milliseconds(10);  // a crash to the change of membership

  std::uint32_t clients() const {
    std::uint32_t sum = groups.empty() ? client_nodes * clients_per_node : 0;
    for (const ClientGroup& group : groups) sum += group.clients();
    return sum;
  }
  std::uint32_t nodes() const { return servers + (colocated ? 0 : client_nodes); }
  std::uint32_t rnics() const { return rnic_of(nodes() - 1) + 1; }
  // Which one a node has, both from 0: servers first, then client nodes.
  std::uint32_t rnic_of(std::uint32_t node) const {
    if (colocated || node < servers) return node;
    std::uint32_t index = node - servers;  // in its group
    std::uint32_t first = servers;         // of its group
    for (const ClientGroup& group : groups) {
      if (index < group.nodes) break;
      index -= group.nodes;
      first += (group.nodes + client_nodes_per_nic - 1) / client_nodes_per_nic;
    }
    return first + index / client_nodes_per_nic;
  }
};

enum class PlacementKind : std::uint8_t { round_robin, partitioned, node };

struct LockTableSpec {
  std::uint64_t count = 1;
  PlacementKind placement = PlacementKind::round_robin;
  std::uint32_t node = 0;          // for PlacementKind::node: server index from 0
  std::uint64_t stride_bytes = 0;  // from lock to lock; 0 (`stride: null`): entries side by side
  bool device_memory = false;      // `memory: device`: the table lies on the servers' NICs
};

// A class of clients, and what they do.
struct GroupSpec {
  std::string name;
  ClientGroup clients;
  WorkloadSpec workload;
  // What its nodes have in place of the platform's.
  std::optional<NicModel> nic;
  std::optional<ClockSpec> clocks;

  NodeHardware hardware(const PlatformSpec& platform) const {
    return {nic.value_or(platform.nic), clocks.value_or(platform.clocks)};
  }
};

enum class OnViolation : std::uint8_t { stop, record };

// Which locks' exclusion is checked by verbs of its own (core/checks/guard_words.h).
enum class GuardMode : std::uint8_t { off, sampled, on };

struct RunSpec {
  std::optional<Duration> warmup;  // none: until goodput has settled
  Duration duration = milliseconds(40);
  std::uint64_t seed = 1;
  std::uint32_t repeats = 1;
  std::int64_t precision_ppb = 0;  // repeats until half an interval is within it; 0: no more
  std::string precision_of = "goodput_ops_s";
  std::uint32_t most_repeats = 30;
  GuardMode guard = GuardMode::off;
  OnViolation on_violation = OnViolation::stop;
  Duration series;            // length of the intervals that are told one by one; zero: none are
  bool hottest_lock = false;  // its acquisitions are measured apart, too

  // The first date, from the start, at which the window may open: half its length, unless given.
  Duration earliest() const { return warmup.value_or(duration / 2); }
};

enum class FaultKind : std::uint8_t {
  skip_release,
  client_crash,
  process_crash,
  node_crash,
  link_down,
  pause,
  slow_client,
  drift
};

constexpr bool is_cpu_fault(FaultKind kind) {
  return kind >= FaultKind::pause;
}

// Whose CPU or clock a fault is about.
enum class FaultTarget : std::uint8_t { client, client_node, server, any_client };

struct FaultSpec {
  FaultKind kind = FaultKind::skip_release;
  std::int64_t probability_ppb = 0;  // per acquisition (skip_release)
  std::optional<Duration> at;        // since the start; without: `per_second`
  std::uint32_t client = 0;          // client_crash, process_crash: who
  std::uint32_t node = 0;            // node_crash, link_down: servers first, then client nodes
  std::optional<std::uint32_t> to;   // link_down: only the path to this node; else the whole port
  std::optional<Duration> outage;    // node_crash, link_down: back after this; else never
  // pause, slow_client, drift
  FaultTarget target = FaultTarget::client;
  std::uint32_t index = 0;                // of the client, client node or server, from 0
  std::uint32_t per_second = 0;           // pause: so often on average, at random dates
  Duration length;                        // pause: for so long
  std::int64_t factor_ppb = 0;            // slow_client: its CPU time is multiplied by this, >= 1
  Duration jump;                          // drift: the clock goes on from here; may be negative
  std::optional<std::int64_t> drift_ppb;  // drift: and runs this much too fast from then on
};

struct ProtocolSpec {
  std::string name;
  std::string profile;
  std::string label;  // names the series; unique among swept protocols
  ParamSet params;
};

struct Figure {
  std::string x, y;
  std::string series = "label";
  struct Places {
    std::string x, y, series;
  } places = {};  // "file.yaml:12", for messages
};

// What is known to become of a point, so that nobody takes it for news.
struct KnownVerdict {
  std::string verdict;  // as results.json has it
  std::string why;
};

// One point of a sweep: everything that decides its result except the repeat's seed.
struct Point {
  PlatformSpec platform;
  LockTableSpec locks{.stride_bytes = 64};  // one lock per cache line
  WorkloadSpec workload;
  std::vector<GroupSpec> groups;  // in place of `workload`, in the order of platform.groups
  ProtocolSpec protocol;
  std::vector<FaultSpec> faults;
  RunSpec run;
  std::vector<KnownVerdict> known;
  // The swept paths and their values here, in the order of the sweep, as written; for tables,
  // results.json `params` and progress lines. Empty for a scenario without a sweep.
  std::vector<std::pair<std::string, std::string>> axes;
  // The point as one YAML document, every default visible, keys in the scenario's order, NIC
  // inlined with its constants: equal text means equal results (with the seed).
  std::string resolved_yaml;
  // The same as JSON (an object), for results.json `params`.
  std::string resolved_json;
};

// Calls visit(workload) for the point's workload, or for that of each group.
template <class Visit>
void for_each_workload(const Point& point, const Visit& visit) {
  if (point.groups.empty()) visit(point.workload);
  for (const GroupSpec& group : point.groups) visit(group.workload);
}

struct Scenario {
  std::string name;
  std::string description;
  std::string file;           // as given; empty when parsed from text
  std::string resolved_yaml;  // the whole scenario, defaults visible, with sweep and expectations
  std::vector<Point> points;  // at least one
  std::vector<Figure> figures;
  std::vector<Expectation> expectations;
  std::vector<std::string> warnings;  // each one line that names the value to set
};

struct ScenarioSource {
  std::string text;
  std::string name_for_errors;  // file name shown in messages
  std::string directory;        // relative NIC and platform paths are looked up here first
};

struct Override {
  std::string path;   // dotted, e.g. "locks.count"
  std::string value;  // parsed as YAML
};

// Finds models/ and scenarios/: given directories in order of preference.
struct DataDirs {
  std::vector<std::string> dirs;
};

// Parses, checks and expands. Every problem is one message with file:line and the fix.
Result<Scenario> parse_scenario(const ScenarioSource& source,
                                const std::vector<Override>& overrides,
                                const std::vector<ProtocolInfo>& protocols, const DataDirs& data);
Result<Scenario> load_scenario(const std::string& path, const std::vector<Override>& overrides,
                               const std::vector<ProtocolInfo>& protocols, const DataDirs& data);

// Reads models/nics/NAME.yaml or a path.
Result<NicModel> load_nic(const std::string& name_or_path, const std::string& directory,
                          const DataDirs& data);

// "2us", "10M", "64B", "4KiB", "40%", "100ppm", "100Gbps": a number with the unit the field wants.
Result<Duration> parse_duration(const std::string& text);
Result<std::int64_t> parse_count(const std::string& text);      // k, M, G decimal
Result<std::int64_t> parse_ratio_ppb(const std::string& text);  // "40%", "0.4" -> parts per billion
std::string format_duration(Duration value);                    // shortest exact form: "1.5us"

}  // namespace latchlab
