#pragma once
// The sections of a scenario, each read from its mapping into its type. All throw InputError. A
// null node is an absent section: every default.

#include <map>
#include <string>
#include <vector>

#include "core/scenario/map_reader.h"
#include "core/scenario/scenario.h"

namespace latchlab {

inline constexpr std::int64_t kMostNodes = 65'535;  // a node's number has 16 bits, 0 is none
inline constexpr std::int64_t kMostClients = 10'000'000;
inline constexpr std::uint64_t kFirstEntryOffset = 4'096;  // lock tables begin on this boundary

// With groups, the section does not say how many clients there are.
PlatformSpec read_platform(const YamlNode* node, const Place& place, const std::string& directory,
                           const DataDirs& data, const std::vector<GroupSpec>& groups);

// The network for so many nodes; what is not given follows from their number. A relative file is
// looked up in `directory` first.
TopologySpec read_topology(const YamlNode* node, const Place& place, std::uint32_t nodes,
                           const std::string& directory, const DataDirs& data);
YamlNode write_topology(const TopologySpec& topology);
BulkSpec read_bulk(const YamlNode* node, const Place& place, TopologyKind topology);
YamlNode write_bulk(const BulkSpec& bulk);

LockTableSpec read_locks(const YamlNode* node, const Place& place);
// What the table asks of servers, addresses and memory, once the protocol's entry size is known.
void check_locks(const LockTableSpec& locks, const PlatformSpec& platform,
                 std::uint64_t entry_bytes, const YamlNode* node, const Place& place);

// Relative files are looked up in `directory` first.
WorkloadSpec read_workload(const YamlNode* node, const Place& place, const std::string& directory);
ArrivalSpec read_arrivals(const YamlNode* node, const std::string& directory);
YamlNode write_arrivals(const ArrivalSpec& spec);
// What the workload asks of nodes and locks.
void check_workload(const WorkloadSpec& workload, const PlatformSpec& platform,
                    const LockTableSpec& locks, const YamlNode* node, const Place& place);
DistributionSpec read_distribution(const YamlNode* node, const Place& place);

// Each group's workload is the common one with its own keys in place of some; so are its clocks,
// which read_group_hardware reads with its NIC once the platform is known.
std::vector<GroupSpec> read_groups(const YamlNode* node, const YamlNode* workload,
                                   const Place& place, const std::string& directory);
void read_group_hardware(const YamlNode& groups, const YamlNode* platform,
                         const std::string& directory, const DataDirs& data, Point& point);
YamlNode with_own_keys(const YamlNode* common, const YamlNode* own);
ClockSpec read_clocks(const YamlNode* node, const std::string& path, const Place& place);

std::vector<FaultSpec> read_faults(const YamlNode* node, const PlatformSpec& platform);
YamlNode write_fault(const FaultSpec& fault);  // one that has a date
// pause, slow_client, drift: what follows the kind.
void read_cpu_fault(MapReader& reader, const PlatformSpec& platform, FaultSpec& fault);
YamlNode write_cpu_fault(const FaultSpec& fault);
RunSpec read_run(const YamlNode* node, const Place& place);

// Protocols that take part in a sweep, and parameters that are allowed to belong to any of them.
struct SweptProtocols {
  std::vector<const ProtocolInfo*> infos;
  bool every_parameter = false;         // protocol.name is swept
  std::vector<std::string> parameters;  // else: those that have an axis of their own
};

const ProtocolInfo& find_protocol(const YamlNode& name, const std::vector<ProtocolInfo>& protocols);
ProtocolSpec read_protocol(const YamlNode& node, const std::vector<ProtocolInfo>& protocols,
                           const SweptProtocols& swept);

std::vector<Figure> read_report(const YamlNode* node);

}  // namespace latchlab
