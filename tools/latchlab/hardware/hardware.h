#pragma once
// Runs on real RNICs, with one process per node. This program starts the node processes on its own
// machine or waits for them at a rendezvous, and sends them the repeats of the points one by one.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/device.h"
#include "backends/ibverbs/native_atomics.h"
#include "core/base/result.h"
#include "core/launch/rendezvous.h"
#include "core/scenario/scenario.h"
#include "tools/latchlab/run.h"

namespace latchlab::tool {

// Assembles as many node processes as the largest point has nodes. Warns on stderr about settings
// of the scenarios that have no effect on hardware. Error: hardware cannot run the scenarios.
Result<RunBackend> hardware_backend(const RunArguments& arguments,
                                    const std::vector<const Scenario*>& scenarios);

// Runs jobs until the coordinator has no more. Returns the process's exit code.
int be_a_node(const launch::Address& coordinator, const std::string& token,
              std::optional<std::uint32_t> rank, const NodeArguments& arguments);

// be_a_node() for a process started by MPI that is not the coordinator.
int be_an_mpi_node(const RunArguments& arguments, std::uint32_t rank);

// The path options of the command line, in the field widths of packets.
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

// One repeat, as the coordinator sends it to the nodes.
struct NodeJob {
  std::string scenario;  // resolved
  std::uint64_t point = 0;
  std::uint32_t repeat = 0;
  std::uint32_t workers = 1;
  std::uint32_t server_workers = 1;
  bool software_atomics = false;
  bool dc = false;
  ib::PathOptions path;
};
std::string write_job(const NodeJob& job);
Result<NodeJob> read_job(const std::string& text);

// Warns on stderr about settings without effect on hardware. Error: a setting that hardware cannot
// provide.
Status advise_on_hardware(const std::vector<const Scenario*>& scenarios);
// Operations that the locks use and that the nodes' RNICs lack, one line each; `always`: proxies
// emulate all atomics.
std::vector<std::string> emulated_on_hardware(const std::vector<const Scenario*>& scenarios,
                                              const NativeAtomics& native, bool always);

// Points that these RNICs cannot run: one line each, which ends with the point's label in
// parentheses. `no_own_memory`: Fleet::no_own_memory().
std::vector<std::string> refused_on_hardware(const std::vector<const Scenario*>& scenarios,
                                             const NativeAtomics& native, bool always,
                                             const std::string& no_own_memory);

// "mcs, shiftlock": the locks that, with default parameters, need software atomics on nodes with
// `native`.
std::string locks_by_software(const NativeAtomics& native);
// Whether the point's lock needs an operation that a node's RNIC lacks, so that proxies emulate it.
bool needs_software_atomics(const Point& point, const NativeAtomics& native);

}  // namespace latchlab::tool
