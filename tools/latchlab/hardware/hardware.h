#pragma once
// Runs on real RNICs: a process for each node, which this program starts on its own machine or
// waits for at a rendezvous, and which gets one repeat of one point after the other.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/device.h"
#include "backends/ibverbs/native_atomics.h"
#include "core/base/result.h"
#include "core/launch/address.h"
#include "core/scenario/scenario.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/run_one.h"

namespace latchlab::tool {

// Brings the node processes together: as many as the largest point has nodes. Says what of the
// scenarios hardware does not do: warnings on stderr, refusals as errors.
Result<RunBackend> hardware_backend(const RunArguments& arguments,
                                    const std::vector<const Scenario*>& scenarios);

// Takes jobs until there are no more; the process's exit code.
int be_a_node(const launch::Address& coordinator, const std::string& token,
              std::optional<std::uint32_t> rank, const NodeArguments& arguments);

// One of the processes that MPI has started, but not the one that people look at.
int be_an_mpi_node(const RunArguments& arguments, std::uint32_t rank);

// What the command line says of it, in the widths of packets.
inline ib::PathOptions path_of(const HardwareArguments& hardware) {
  return {static_cast<std::uint16_t>(hardware.pkey), static_cast<std::uint8_t>(hardware.sl),
          static_cast<std::uint8_t>(hardware.traffic_class)};
}

// The device, port and GID of the node of this rank.
inline ib::DeviceChoice choice_of(const HardwareArguments& hardware, std::uint32_t rank) {
  ib::DeviceChoice choice;
  choice.name = hardware.device;
  if (const auto& all = hardware.addresses; !all.empty()) choice.address = all[rank % all.size()];
  choice.port = hardware.port;
  choice.gid_index = hardware.gid_index;
  return choice;
}

// One repeat, as the coordinator tells it to the nodes.
struct NodeJob {
  std::string scenario;  // resolved
  std::uint64_t point = 0;
  std::uint32_t repeat = 0;
  std::uint32_t workers = 1;
  std::uint32_t server_workers = 1;
  bool agents = false;
  bool dc = false;
  ib::PathOptions path;
};
std::string write_job(const NodeJob& job);
Result<NodeJob> read_job(const std::string& text);

// Warns on stderr of what has no effect on hardware; an error: of what cannot be had there.
Status advise_on_hardware(const std::vector<const Scenario*>& scenarios);
// What the locks use and the nodes' RNICs have not, a line each; `always`: agents do it all.
std::vector<std::string> emulated_on_hardware(const std::vector<const Scenario*>& scenarios,
                                              const NativeAtomics& native, bool always);

// Points that these RNICs cannot run, a line each, which ends with the point's label in
// parentheses; `no_own_memory` is why none has a lock table in their memory.
std::vector<std::string> refused_on_hardware(const std::vector<const Scenario*>& scenarios,
                                             const NativeAtomics& native, bool always,
                                             const std::string& no_own_memory);

// "mcs, shiftlock": those that need agents on nodes that have these, as they are by default.
std::string locks_by_agents(const NativeAtomics& native);
// Does this lock need what some node's RNIC has not, so that agents have to do it?
bool needs_agents(const Point& point, const NativeAtomics& native);

}  // namespace latchlab::tool
