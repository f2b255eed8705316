#pragma once
// The sections of a scenario: their keys, which are read into the structs of scenario.h, and the
// checks across keys. All checks throw InputError. A null node means an absent section.

#include <functional>
#include <string>
#include <vector>

#include "core/scenario/fields.h"
#include "core/scenario/scenario.h"
#include "core/scenario/text_file.h"

namespace latchlab {

inline constexpr std::int64_t kMostNodes = 65'535;  // a node's number has 16 bits; 0 means none
inline constexpr std::int64_t kMostClients = 10'000'000;
inline constexpr std::uint64_t kFirstEntryOffset = 4'096;  // lock tables begin at this offset

// True for 1 to 64 letters, digits or characters of `others`.
bool is_name(const std::string& text, const std::string& others);

struct Report {
  std::vector<Figure> figures;
};

const Keys& top_keys();  // of a Point; other code reads the keys that are not per point
const Keys& platform_keys();
const Keys& topology_keys();
const Keys& bulk_keys();
const Keys& clock_keys();
const Keys& lock_keys();
const Keys& workload_keys();
Keys range_keys();    // of a WorkloadSpec: ranges and files
Keys program_keys();  // of a WorkloadSpec: transactions, traces, object stores and indexes
const Keys& arrival_keys();
const Keys& group_keys();
const Keys& protocol_keys();
const Keys& fault_keys();
const Keys& run_keys();
const Keys& report_keys();  // of a Report
const Keys& expect_keys();  // of an Expectation
const Keys& best_of_keys();
const Keys& known_keys();  // of a KnownVerdict
const Keys& allow_keys();  // of a Scenario; by WarningKind

// `nic` as a node of `platform` has it: with the costs of its software.
struct NicOfNode {
  NicModel nic;
  bool by_event = false;  // PlatformSpec::by_event
};
NicOfNode read_nic_of_node(const YamlNode& nic, const YamlNode& platform, const Files& files);
// Completes the platform after its keys and the groups are read: the number of clients, the shape
// of the network, the NIC.
void finish_platform(const YamlNode* node, const SourceLocation& place, const Files& files,
                     Point& point);
void finish_topology(const YamlNode& node, std::uint32_t nodes, const Files& files,
                     TopologySpec& topology);

// Checks the lock table against servers, addresses and memory. Requires the protocol's entry size.
void check_locks(const LockTableSpec& locks, const PlatformSpec& platform,
                 std::uint64_t entry_bytes, const YamlNode* node, const SourceLocation& place);

// Reads a script's file, after the keys are read.
void finish_arrivals(const YamlNode* workload, const Files& files, ArrivalSpec& arrivals);
// The clients of a workload.
struct ClientCounts {
  std::uint32_t first = 0;  // their numbers: from this one on
  std::uint32_t all = 1;
  std::uint32_t per_node = 1;  // the most on one node
};
// Checks a workload of these clients against nodes and locks. `own`: the group's node, if the
// workload is a group's; `common`: the scenario's.
void check_workload(const WorkloadSpec& workload, const Point& point, const ClientCounts& clients,
                    const YamlNode* own, const YamlNode* common, const SourceLocation& place);

// The checks of ranges and files. `refuse(key, why)` does not return.
using Refusal = std::function<void(const char* key, const std::string& why)>;
void check_ranges(const WorkloadSpec& workload, std::uint64_t locks, const ClientCounts& clients,
                  const Refusal& refuse);

// Finds the files of traces, after the keys are read.
void finish_programs(const YamlNode* workload, const Files& files, WorkloadSpec& spec);
void check_programs(const WorkloadSpec& workload, std::uint64_t locks, const Refusal& refuse);

// Reads the groups. A group's workload is the common one with the group's keys replaced. The
// platform's clocks and NIC are replaced likewise by read_group_hardware, after the platform is
// known.
void read_groups(const YamlNode* node, const Files& files, Point& point);
void read_group_hardware(const YamlNode& groups, const Files& files, Point& point);

const std::string& name_of(FaultKind kind);
// Checks the targets of faults, after the platform is known.
void check_faults(const YamlNode* list, Point& point);
void check_run(const YamlNode* node, const RunSpec& run);
void check_groups_apart(const YamlNode* run, const Point& point);

// The protocols of a sweep, and the parameters that may belong to any of them.
struct SweptProtocols {
  std::vector<const ProtocolInfo*> infos;
  bool every_parameter = false;         // protocol.name is swept
  std::vector<std::string> parameters;  // otherwise: those that have their own axis
};

const ProtocolInfo& find_protocol(const YamlNode& name, const std::vector<ProtocolInfo>& protocols);
ProtocolSpec read_protocol(const YamlNode& node, const std::vector<ProtocolInfo>& protocols,
                           const SweptProtocols& swept);
YamlNode write_protocol(const ProtocolSpec& protocol);

}  // namespace latchlab
