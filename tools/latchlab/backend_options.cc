// Rejects options of a run that its backend does not support.

#include <fmt/core.h>

#include "core/run/files.h"
#include "tools/latchlab/run.h"
#ifdef LATCHLAB_WITH_IBVERBS
#include "core/launch/mpi.h"
#include "core/launch/rendezvous.h"
#endif

namespace latchlab::tool {

namespace {

// The hardware options that were given, as the user types them.
std::string given(const HardwareArguments& hardware) {
  std::string all;
  const auto add = [&all](bool is_given, const char* option) {
    if (is_given) all += (all.empty() ? "" : ", ") + std::string(option);
  };
  add(!hardware.device.empty(), "--device");
  add(!hardware.addresses.empty(), "--address");
  add(hardware.port != 0, "--port");
  add(hardware.gid_index.has_value(), "--gid-index");
  add(hardware.pkey != 0, "--pkey");
  add(hardware.sl != 0, "--sl");
  add(hardware.traffic_class != 0, "--traffic-class");
  add(hardware.workers != 1, "--workers");
  add(hardware.server_workers != 1, "--server-workers");
  add(hardware.agents, "--agents");
  add(hardware.transport != "rc", "--transport");
  add(!hardware.rendezvous.empty(), "--rendezvous");
  return all;
}

}  // namespace

Status check_rendezvous(const std::string& rendezvous) {
#ifdef LATCHLAB_WITH_IBVERBS
  if (const auto at = launch::parse_address(rendezvous); !at) return at.error();
  if (launch::started_by_mpi())
    return Error{
        "--rendezvous: mpirun has started the nodes already; leave --rendezvous out, or start one "
        "latchlab run without mpirun",
        {}};
  if (const auto token = launch::find_token(""); !token)
    return Error{"--rendezvous: " + token.error().message, {}};
#else
  static_cast<void>(rendezvous);  // a later step reports that this build has no hardware backend
#endif
  return fine();
}

namespace {

Status check_hardware_options(const RunArguments& arguments) {
  if (arguments.trace.wanted)
    return Error{
        "--trace shows simulated runs; hardware has no common clock for it: leave it out, or run "
        "with --backend simgrid",
        {}};
  if (arguments.sensitivity)
    return Error{
        "--sensitivity asks for the constants of the simulator's model, of which hardware has "
        "none: leave it out, or run with --backend simgrid",
        {}};
  if (arguments.jobs > 1)
    return Error{fmt::format("--jobs {}: on hardware one run at a time has the machine; leave "
                             "--jobs out",
                             arguments.jobs),
                 {}};
  if (arguments.hardware.agents && arguments.hardware.transport == "dc")
    return Error{
        "--transport dc --agents: verbs that agents execute go by no transport of the RNIC's own; "
        "leave one of them out",
        {}};
  if (const std::string& rendezvous = arguments.hardware.rendezvous; !rendezvous.empty())
    if (Status usable = check_rendezvous(rendezvous); !usable) return usable;
  // Checked here rather than after all nodes have joined.
  if (!arguments.resume && !arguments.out.empty()) return check_results_directory(arguments.out);
  return fine();
}

}  // namespace

Status check_backend_options(const RunArguments& arguments) {
  if (arguments.backend == "ibverbs") return check_hardware_options(arguments);
  const std::string options = given(arguments.hardware);
  if (options.empty()) return fine();
  return Error{
      fmt::format("{}: only for runs on hardware; add --backend ibverbs, or leave it out", options),
      {}};
}

}  // namespace latchlab::tool
