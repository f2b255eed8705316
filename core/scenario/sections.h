#pragma once
// The sections of a scenario: their keys, read into the structs of scenario.h, and what the keys
// ask of each other. All checks throw InputError. A null node is an absent section.

#include <functional>
#include <string>
#include <vector>

#include "core/scenario/fields.h"
#include "core/scenario/scenario.h"
#include "core/scenario/text_file.h"

namespace latchlab {

inline constexpr std::int64_t kMostNodes = 65'535;  // a node's number has 16 bits, 0 is none
inline constexpr std::int64_t kMostClients = 10'000'000;
inline constexpr std::uint64_t kFirstEntryOffset = 4'096;  // lock tables begin on this boundary

// 1 to 64 letters, digits or these other characters.
bool is_name(const std::string& text, const std::string& others);

struct Report {
  std::vector<Figure> figures;
};

const Keys& top_keys();  // of a Point; what is not of one point is read elsewhere
const Keys& platform_keys();
const Keys& topology_keys();
const Keys& bulk_keys();
const Keys& clock_keys();
const Keys& lock_keys();
const Keys& workload_keys();
Keys range_keys();    // of a WorkloadSpec, too: those of ranges and of files
Keys program_keys();  // those of transactions, traces, object stores and indexes
const Keys& arrival_keys();
const Keys& group_keys();
const Keys& protocol_keys();
const Keys& fault_keys();
const Keys& run_keys();
const Keys& report_keys();  // of a Report
const Keys& expect_keys();  // of an Expectation
const Keys& known_keys();   // of a KnownVerdict

// The platform once its keys and the groups are read: how many clients there are, the shape of the
// network that follows, the NIC.
void finish_platform(const YamlNode* node, const Place& place, const Files& files, Point& point);
void finish_topology(const YamlNode& node, std::uint32_t nodes, const Files& files,
                     TopologySpec& topology);

// What the table asks of servers, addresses and memory, once the protocol's entry size is known.
void check_locks(const LockTableSpec& locks, const PlatformSpec& platform,
                 std::uint64_t entry_bytes, const YamlNode* node, const Place& place);

// A script's file, once the keys are read.
void finish_arrivals(const YamlNode* workload, const Files& files, ArrivalSpec& arrivals);
// What the workload, of so many clients, asks of nodes and locks; `own`: of the group whose it is.
void check_workload(const WorkloadSpec& workload, const Point& point, std::uint32_t clients,
                    const YamlNode* own, const YamlNode* common, const Place& place);

// The same of ranges and files alone, for so many clients. `refuse(key, why)` does not return.
using Refusal = std::function<void(const char* key, const std::string& why)>;
void check_ranges(const WorkloadSpec& workload, std::uint64_t locks, std::uint32_t clients,
                  const Refusal& refuse);

// Finds the files of traces, once the keys are read.
void finish_programs(const YamlNode* workload, const Files& files, WorkloadSpec& spec);
void check_programs(const WorkloadSpec& workload, std::uint64_t locks, const Refusal& refuse);

// Each group's workload is the common one with its own keys in place of some; so are its clocks,
// which read_group_hardware reads with its NIC once the platform is known.
void read_groups(const YamlNode* node, const Files& files, Point& point);
void read_group_hardware(const YamlNode& groups, const Files& files, Point& point);

const std::string& name_of(FaultKind kind);
// Whom they are about, once the platform is known.
void check_faults(const YamlNode* list, Point& point);
void check_run(const YamlNode* node, const RunSpec& run);

// Protocols that take part in a sweep, and parameters that are allowed to belong to any of them.
struct SweptProtocols {
  std::vector<const ProtocolInfo*> infos;
  bool every_parameter = false;         // protocol.name is swept
  std::vector<std::string> parameters;  // else: those that have an axis of their own
};

const ProtocolInfo& find_protocol(const YamlNode& name, const std::vector<ProtocolInfo>& protocols);
ProtocolSpec read_protocol(const YamlNode& node, const std::vector<ProtocolInfo>& protocols,
                           const SweptProtocols& swept);
YamlNode write_protocol(const ProtocolSpec& protocol);

}  // namespace latchlab
