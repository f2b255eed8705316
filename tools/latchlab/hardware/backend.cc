// The backend for runs on hardware: assigns the roles of coordinator and node to processes.

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "backends/ibverbs/ibverbs_backend.h"
#include "core/launch/mpi.h"
#include "tools/latchlab/hardware/fleet.h"
#include "tools/latchlab/hardware/hardware.h"

namespace latchlab::tool {

int be_an_mpi_node(const RunArguments& arguments, std::uint32_t rank) {
  const std::string shared = launch::mpi_share({});
  const std::size_t space = shared.find(' ');
  const auto address = launch::parse_address(shared.substr(0, space));
  if (!address || space == std::string::npos)
    return complain(Error{"MPI's first process has ended without a run", {}}, kCannot);
  NodeArguments node;
  node.hardware = arguments.hardware;
  node.data = arguments.input.data;
  node.reads_anything = true;
  return be_a_node(address.value(), shared.substr(space + 1), rank, node);
}

namespace {

// Error: a scenario crashes processes under MPI, whose launcher would end the whole run.
Status crashes_only_alone(const std::vector<const Scenario*>& scenarios) {
  if (!launch::started_by_mpi()) return fine();
  for (const Scenario* scenario : scenarios)
    for (const Point& point : scenario->points)
      for (const FaultSpec& fault : point.faults)
        if (fault.kind == FaultKind::process_crash)
          return Error{
              "faults: process_crash: mpirun ends all processes when one dies; run it without "
              "mpirun, or with latchlab node",
              scenario->file};
  return fine();
}

}  // namespace

Result<RunBackend> hardware_backend(const RunArguments& arguments,
                                    const std::vector<const Scenario*>& scenarios) {
  if (Status possible = crashes_only_alone(scenarios); !possible) return possible.error();
  const auto place = launch::mpi_rank();
  if (!place) return place.error();
  RunBackend backend;
  if (place.value() && place.value()->rank > 0) {
    backend.over = be_an_mpi_node(arguments, place.value()->rank);
    return backend;
  }
  if (arguments.hardware.rendezvous.empty()) {
    const auto devices = ib::list_devices();
    if (!devices) return devices.error();
    if (devices.value().empty())
      return Error{"this machine has no RDMA device; latchlab doctor says more", {}};
  }
  if (Status possible = advise_on_hardware(scenarios); !possible) return possible.error();
  std::uint32_t nodes = 1;
  for (const Scenario* scenario : scenarios)
    for (const Point& point : scenario->points) nodes = std::max(nodes, point.platform.nodes());
  if (place.value() && place.value()->size < nodes)
    return Error{fmt::format("the largest point has {} nodes, and MPI has started {} processes: "
                             "mpirun -n {}",
                             nodes, place.value()->size, nodes),
                 {}};
  const auto fleet = std::make_shared<Fleet>(arguments, nodes, place.value());
  if (Status assembled = fleet->assemble(); !assembled) return assembled.error();
  if (Status ready = fleet->able(); !ready) return ready.error();
  fleet->tell_cores();
  if (fleet->by_dc() && !fleet->atomics().has(NativeAtomics::dc))
    return Error{
        "--transport dc: not every node's device has the DC transport (latchlab doctor says so of "
        "those that have it); leave it out for RC",
        {}};
  backend.name = fleet->describe();
  backend.software = fleet->software();
  backend.emulated = emulated_on_hardware(scenarios, fleet->atomics(), arguments.hardware.agents);
  backend.refused = refused_on_hardware(scenarios, fleet->atomics(), arguments.hardware.agents,
                                        fleet->no_own_memory());
  if (!arguments.quiet)
    for (const std::string& line : backend.emulated)
      fmt::print(stderr, "latchlab: emulated: {}\n", line);
  backend.setting = fmt::format("{}, {} workers, agents {}", backend.name,
                                arguments.hardware.workers, arguments.hardware.agents);
  if (const std::uint32_t threads = arguments.hardware.server_workers; threads != 1)
    backend.setting += fmt::format(", {} server workers", threads);
  if (const std::uint32_t port = arguments.hardware.port; port != 0)
    backend.setting += fmt::format(", port {}", port);
  if (const std::uint32_t pkey = arguments.hardware.pkey; pkey != 0)
    backend.setting += fmt::format(", pkey {:#06x}", pkey);
  if (const std::uint32_t level = arguments.hardware.sl; level != 0)
    backend.setting += fmt::format(", service level {}", level);
  if (const std::uint32_t traffic = arguments.hardware.traffic_class; traffic != 0)
    backend.setting += fmt::format(", traffic class {}", traffic);
  backend.runner = [fleet](const Scenario& scenario, std::size_t point, std::uint32_t repeat,
                           const StopAsked& stop) {
    return fleet->run(scenario, point, repeat, stop);
  };
  return backend;
}

}  // namespace latchlab::tool
