#include "tools/latchlab/command_line.h"

#include <fmt/core.h>

#include "tools/latchlab/plugins.h"

namespace latchlab::tool {

std::string quoted_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%=";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos;
  return plain ? text : quoted_word(text);
}

std::string backend_options(const RunArguments& arguments) {
  if (arguments.backend == "simgrid") return {};
  const HardwareArguments& hardware = arguments.hardware;
  std::string options = " --backend " + arguments.backend;
  if (!hardware.device.empty()) options += " --device " + hardware.device;
  for (const std::string& address : hardware.addresses) options += " --address " + address;
  if (hardware.port != 0) options += fmt::format(" --port {}", hardware.port);
  if (hardware.gid_index) options += fmt::format(" --gid-index {}", *hardware.gid_index);
  if (hardware.pkey != 0) options += fmt::format(" --pkey {:#06x}", hardware.pkey);
  if (hardware.sl != 0) options += fmt::format(" --sl {}", hardware.sl);
  if (hardware.traffic_class != 0)
    options += fmt::format(" --traffic-class {}", hardware.traffic_class);
  if (hardware.workers != 1) options += fmt::format(" --workers {}", hardware.workers);
  if (hardware.server_workers != 1)
    options += fmt::format(" --server-workers {}", hardware.server_workers);
  if (hardware.agents) options += " --agents";
  if (hardware.transport != "rc") options += " --transport " + hardware.transport;
  // Quoted, because a shell interprets the brackets of an IPv6 address.
  if (!hardware.rendezvous.empty()) options += " --rendezvous " + quoted_word(hardware.rendezvous);
  return options;
}

std::string run_options(const RunArguments& arguments) {
  std::string options;
  for (const std::string& set : arguments.input.sets) options += " --set " + quoted_word(set);
  if (arguments.input.seed) options += fmt::format(" --seed {}", *arguments.input.seed);
  if (arguments.input.repeats) options += fmt::format(" --repeats {}", *arguments.input.repeats);
  if (!arguments.input.data.empty()) options += " --data " + quoted_word(arguments.input.data);
  return options + backend_options(arguments) + plugin_options();
}

std::string command_line(const RunArguments& arguments) {
  return "latchlab run " + shell_word(arguments.input.scenario) + run_options(arguments);
}

std::string resume_command(const RunArguments& arguments, const std::string& directory) {
  const char* asks = arguments.sensitivity ? " --sensitivity" : "";
  RunArguments again = arguments;
  if (again.input.scenario == "-")  // the directory holds the scenario with all overrides applied
    again.input = {directory + "/scenario.yaml", {}, arguments.input.data, {}, {}};
  return command_line(again) + asks + " --resume --out " + shell_word(directory);
}

}  // namespace latchlab::tool
