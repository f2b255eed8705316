#pragma once
// A scenario for the rest of the program: typed, every default filled in, every sweep expanded into
// points. Only the reader (core/scenario/*.cc) uses YAML.

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

// The server CPU that answers calls; absent values come from the NIC's file (`server`).
struct ServerCpuSpec {
  std::optional<std::uint32_t> cores;  // per server
  std::optional<Duration> call_service;

  bool operator==(const ServerCpuSpec&) const = default;
};

// Client nodes with equal numbers of clients.
struct ClientGroup {
  std::uint32_t nodes = 1;
  std::uint32_t clients_per_node = 1;

  std::uint32_t clients() const { return nodes * clients_per_node; }
};

struct PlatformSpec {
  NicModel nic;
  std::string software;   // a name under models/cpu/stacks; empty: as the NIC's file has it
  bool by_event = false;  // says `software`: a thread sleeps until a completion raises an event
  TopologySpec topology;
  BulkSpec bulk;
  DatagramSpec datagrams;
  SwitchQueueSpec switch_queue;
  std::uint32_t servers = 1;
  std::uint32_t client_nodes = 1;
  std::uint32_t clients_per_node = 1;
  // `clients`: these are spread over the client nodes; 0: clients_per_node on each.
  std::uint32_t spread_clients = 0;
  // Replaces client_nodes and clients_per_node, which then hold the sum of the nodes and the
  // largest clients_per_node: the groups of the scenario, or spread clients.
  std::vector<ClientGroup> groups;
  bool colocated = false;                  // client node i is server i
  std::int64_t packet_loss_ppb = 0;        // of each node's link: see NodeHardware
  Duration client_link_latency;            // extra one-way latency between client nodes
  std::uint32_t client_nodes_per_nic = 1;  // this many consecutive nodes of one group share an RNIC
  ClockSpec clocks;
  QpOwner qps = QpOwner::client;
  std::uint32_t cores = 0;  // per client node, shared by its clients; 0: each has its own
  CoreSharing core_sharing = CoreSharing::turns;
  ServerCpuSpec server_cpu;
  Duration failure_detection = milliseconds(10);  // from a crash to the membership change

  std::uint32_t clients() const {
    std::uint32_t sum = groups.empty() ? client_nodes * clients_per_node : 0;
    for (const ClientGroup& group : groups) sum += group.clients();
    return sum;
  }
  std::uint32_t nodes() const { return servers + (colocated ? 0 : client_nodes); }
  std::uint32_t rnics() const { return rnic_of(nodes() - 1) + 1; }
  // The RNIC of a node, both counted from 0: servers first, then client nodes.
  std::uint32_t rnic_of(std::uint32_t node) const {
    if (colocated || node < servers) return node;
    std::uint32_t index = node - servers;  // in its group
    std::uint32_t first = servers;         // first RNIC of its group
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
  std::uint64_t stride_bytes = 0;  // from lock to lock; 0 (`stride: null`): entries are adjacent
  bool device_memory = false;  // `memory: device`: the table is in the memory of the servers' NICs
};

// A class of clients and their workload.
struct GroupSpec {
  std::string name;
  ClientGroup clients;
  WorkloadSpec workload;
  // Hardware of the group's nodes, if it differs from the platform's.
  std::optional<NicModel> nic;
  std::optional<ClockSpec> clocks;
  std::optional<std::int64_t> packet_loss_ppb;

  NodeHardware hardware(const PlatformSpec& platform) const {
    return {nic.value_or(platform.nic), clocks.value_or(platform.clocks),
            packet_loss_ppb.value_or(platform.packet_loss_ppb)};
  }
};

enum class OnViolation : std::uint8_t { stop, record };

// The locks whose mutual exclusion separate verbs check (core/checks/guard_words.h).
enum class GuardMode : std::uint8_t { off, sampled, on };

struct RunSpec {
  std::optional<Duration> warmup;  // none: until goodput reaches steady state
  Duration duration = milliseconds(40);
  std::uint64_t seed = 1;
  std::uint32_t repeats = 1;
  std::int64_t precision_ppb = 0;  // repeat until the interval's half-width is within this; 0: off
  std::string precision_of = "goodput_ops_s";
  std::uint32_t most_repeats = 30;
  GuardMode guard = GuardMode::off;
  OnViolation on_violation = OnViolation::stop;
  Duration series;            // length of each interval of the time series; zero: no series
  bool hottest_lock = false;  // also measure its acquisitions separately
  bool by_group = false;      // also measure groups of clients separately (client_groups)

  // The earliest time from the start at which the measurement window may open: the given warm-up,
  // else half the duration.
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

// Whose CPU or clock a fault affects.
enum class FaultTarget : std::uint8_t { client, client_node, server, any_client };

struct FaultSpec {
  FaultKind kind = FaultKind::skip_release;
  std::int64_t probability_ppb = 0;  // per acquisition (skip_release)
  bool commits = true;               // skip_release: a transaction has committed nevertheless
  std::optional<Duration> at;        // since the start; absent: at random times, `per_second`
  std::uint32_t client = 0;          // client_crash, process_crash: the client
  std::uint32_t node = 0;            // node_crash, link_down: servers first, then client nodes
  std::optional<std::uint32_t> to;  // link_down: only the path to this node; absent: the whole port
  std::optional<Duration> outage;   // node_crash, link_down: back after this; absent: never
  // pause, slow_client, drift
  FaultTarget target = FaultTarget::client;
  std::uint32_t index = 0;                // number of the client, client node or server, from 0
  std::uint32_t per_second = 0;           // pause: mean rate, at random times
  Duration length;                        // pause: its length
  std::int64_t factor_ppb = 0;            // slow_client: multiplies its CPU time, >= 1
  Duration jump;                          // drift: the clock jumps by this; may be negative
  std::optional<std::int64_t> drift_ppb;  // drift: the clock then runs this much too fast
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
  std::string mean_over = {};    // a swept path; empty: none
  std::string relative_to = {};  // "path=value" of the points by which y is divided; empty: none
  struct Places {
    std::string x, y, series, mean_over, relative_to;
  } places = {};  // "file.yaml:12", for messages
};

// A verdict that is expected at a point, so that reports do not present it as new.
struct KnownVerdict {
  std::string verdict;  // as results.json has it
  std::string why;
};

// One point of a sweep: everything that determines its result except the repeat's seed.
struct Point {
  PlatformSpec platform;
  LockTableSpec locks{.stride_bytes = 64};  // one lock per cache line
  WorkloadSpec workload;
  std::vector<GroupSpec> groups;  // replaces `workload`, in the order of platform.groups
  ProtocolSpec protocol;
  std::vector<FaultSpec> faults;
  RunSpec run;
  std::vector<KnownVerdict> known;
  // The swept paths and their values at this point, in sweep order and as written, for tables,
  // results.json `params` and progress lines. Empty for a scenario without a sweep.
  std::vector<std::pair<std::string, std::string>> axes;
  // The point as one YAML document with every default visible, keys in the scenario's order and the
  // NIC's constants inlined. Equal text and equal seed mean equal results.
  std::string resolved_yaml;
  // The same as JSON (an object), for results.json `params`.
  std::string resolved_json;
};

// Clients whose numbers are reported apart: the groups of the scenario. If there are none and
// run.by_group is set: the roles of files, or the sizes of ranges in ascending order.
struct ClientGroups {
  std::vector<std::string> names;        // empty: there are no groups
  std::vector<std::uint8_t> of_clients;  // indices of names, by client
};
ClientGroups client_groups(const Point& point);

// Calls visit(workload) for the point's workload, or for that of each group.
template <class Visit>
void for_each_workload(const Point& point, const Visit& visit) {
  if (point.groups.empty()) visit(point.workload);
  for (const GroupSpec& group : point.groups) visit(group.workload);
}

// Lines of which only the best variant counts: of the points of these labels that differ in nothing
// else, figures, conclusions and predictions show the one whose metric is best, under the line's
// name.
struct BestOf {
  struct Line {
    std::string name;
    std::vector<std::string> labels;
  };
  std::string metric = "goodput_ops_s";
  std::vector<Line> lines = {};
  std::string place = {};  // "file.yaml:12", for messages
};

// What a warning is about. scenario.yaml names the kinds in `allow`, in this order.
enum class WarningKind : std::uint8_t {
  short_warmup,
  short_duration,
  late_fault,
  units,
  flat_curve,
  server_return,
  timeout_off,
  cut_sections,
  few_repeats,
  left_out,
  advice,
  never_granted,
  unused_allow
};

struct Warning {
  WarningKind kind;
  std::string text;  // one line, which names the value to set
};
using Warnings = std::vector<Warning>;

// A kind of warning that the scenario accepts, and why.
struct AllowedWarning {
  WarningKind kind;
  std::string reason;
  std::vector<std::string> texts = {};  // the warnings of this kind
};

struct Scenario {
  std::string name;
  std::string description;
  std::string file;           // as given; empty when parsed from text
  std::string resolved_yaml;  // the whole scenario, defaults visible, with sweep and expectations
  std::vector<Point> points;  // at least one
  BestOf best_of;
  std::vector<Figure> figures;
  std::vector<Expectation> expectations;
  Warnings warnings;  // without those that are allowed
  std::vector<AllowedWarning> allowed;

  // The line of best_of to which the point's label belongs; null: none.
  const BestOf::Line* best_of_line(const Point& point) const;
  // The name of that line, or the point's label.
  const std::string& line_of(const Point& point) const;
  void warn(Warning warning);
  std::vector<std::string> warning_texts() const;
};

struct ScenarioSource {
  std::string text;
  std::string name_for_errors;  // file name for messages
  std::string directory;        // searched first for relative NIC and platform paths
};

struct Override {
  std::string path;   // dotted, e.g. "locks.count"
  std::string value;  // parsed as YAML
};

// The directories that contain models/ and scenarios/, in order of preference.
struct DataDirs {
  std::vector<std::string> dirs;
};

// Parses, checks and expands a scenario. An error is one message with file:line and the fix.
Result<Scenario> parse_scenario(const ScenarioSource& source,
                                const std::vector<Override>& overrides,
                                const std::vector<ProtocolInfo>& protocols, const DataDirs& data);
Result<Scenario> load_scenario(const std::string& path, const std::vector<Override>& overrides,
                               const std::vector<ProtocolInfo>& protocols, const DataDirs& data);

// Reads models/nics/NAME.yaml or a path.
Result<NicModel> load_nic(const std::string& name_or_path, const std::string& directory,
                          const DataDirs& data);

// What a file of models/cpu/stacks says of itself.
Result<std::string> what_software_is(const std::string& name, const DataDirs& data);

// "2us", "10M", "40%": a number with a unit. Each parser accepts the units of its quantity.
Result<Duration> parse_duration(const std::string& text);
Result<std::int64_t> parse_count(const std::string& text);      // k, M, G decimal
Result<std::int64_t> parse_ratio_ppb(const std::string& text);  // "40%", "0.4" -> parts per billion
std::string format_duration(Duration value);                    // shortest exact form: "1.5us"

}  // namespace latchlab
