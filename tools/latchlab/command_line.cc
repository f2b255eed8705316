#include "tools/latchlab/command_line.h"

#include <fmt/core.h>

#include "tools/latchlab/plugins.h"

namespace latchlab::tool {

std::string backend_options(const RunArguments& arguments) {
  if (arguments.backend == "simgrid") return {};
  const HardwareArguments& hardware = arguments.hardware;
  std::string options = " --backend " + arguments.backend;
  if (!hardware.device.empty()) options += " --device " + hardware.device;
  for (const std::string& address : hardware.addresses) options += " --address " + address;
  if (hardware.pkey != 0) options += fmt::format(" --pkey {:#06x}", hardware.pkey);
  if (hardware.sl != 0) options += fmt::format(" --sl {}", hardware.sl);
  if (hardware.traffic_class != 0)
    options += fmt::format(" --traffic-class {}", hardware.traffic_class);
  if (hardware.workers != 1) options += fmt::format(" --workers {}", hardware.workers);
  if (hardware.server_workers != 1)
    options += fmt::format(" --server-workers {}", hardware.server_workers);
  if (hardware.agents) options += " --agents";
  if (hardware.transport != "rc") options += " --transport " + hardware.transport;
  // In quotes: the brackets of an IPv6 address mean something to a shell.
  if (!hardware.rendezvous.empty()) options += " --rendezvous '" + hardware.rendezvous + "'";
  return options;
}

std::string run_options(const RunArguments& arguments) {
  std::string options;
  for (const std::string& set : arguments.input.sets) options += " --set '" + set + "'";
  if (arguments.input.seed) options += fmt::format(" --seed {}", *arguments.input.seed);
  if (arguments.input.repeats) options += fmt::format(" --repeats {}", *arguments.input.repeats);
  if (!arguments.input.data.empty()) options += " --data '" + arguments.input.data + "'";
  return options + backend_options(arguments) + plugin_options();
}

std::string command_line(const RunArguments& arguments) {
  return "latchlab run " + arguments.input.scenario + run_options(arguments);
}

std::string resume_command(const RunArguments& arguments, const std::string& directory) {
  const char* asks = arguments.sensitivity ? " --sensitivity" : "";
  RunArguments again = arguments;
  if (again.input.scenario == "-")  // what it said stands in the directory, overrides and all
    again.input = {directory + "/scenario.yaml", {}, arguments.input.data, {}, {}};
  return command_line(again) + asks + " --resume --out " + directory;
}

}  // namespace latchlab::tool
