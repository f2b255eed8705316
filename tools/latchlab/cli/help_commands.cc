#include <fmt/core.h>

#include "tools/latchlab/cli/cli.h"
#include "tools/latchlab/cli/described.h"
#include "tools/latchlab/cli/hardware_options.h"

namespace latchlab::tool {

namespace {

int examine(const FabricArguments& arguments, bool fabric) {
  const HardwareArguments& hardware = arguments.hardware;
  const bool about_nodes =
      arguments.nodes != 0 || !hardware.device.empty() || !hardware.addresses.empty() ||
      hardware.port != 0 || hardware.gid_index.has_value() || hardware.pkey != 0 ||
      hardware.sl != 0 || hardware.traffic_class != 0 || !hardware.rendezvous.empty();
  if (fabric) return doctor_fabric(arguments);
  if (about_nodes)
    return complain({"options of nodes are for --fabric: add it, or leave them out", {}});
  return doctor(arguments.data, arguments.json);
}

void add_doctor(Cli& cli) {
  struct Arguments {
    FabricArguments of;
    bool fabric = false;
  };
  const auto arguments = tool::arguments<Arguments>();
  CLI::App& command = cli.add("doctor", "Check prerequisites on this machine or across a cluster",
                              [arguments] { return examine(arguments->of, arguments->fabric); });
  add_data(command, arguments->of.data);
  command.add_flag("--json", arguments->of.json, "Print JSON, for programs");
  const char* const group = "Cluster";
  command
      .add_flag("--fabric", arguments->fabric,
                "Start nodes as a run on hardware does, compare their configuration, and test "
                "every directed path between two nodes")
      ->group(group);
  command
      .add_option("--nodes", arguments->of.nodes,
                  "Number of nodes [those that mpirun started; on this machine as many as "
                  "addresses, at least 2]")
      ->type_name("N")
      ->check(whole_number(2, 1'000))
      ->group(group);
  add_fabric(command, arguments->of.hardware, group);
  command.footer(
      "Nodes on several machines:\n"
      "  mpirun -n 4 --host a,b,c,d latchlab doctor --fabric\n"
      "  latchlab doctor --fabric --nodes 4 --rendezvous a:7174, and on each machine latchlab "
      "node --rendezvous a:7174\n\n"
      "Exit codes: 0 no problem was found; 1 the cluster has a problem; 2 bad input; 3 a "
      "prerequisite is missing, or there is no device.");
}

void add_completion(Cli& cli) {
  const auto shell = tool::arguments<std::string>();
  CLI::App& command =
      cli.add("completion", "Print a shell script that completes commands", [shell, &cli] {
        fmt::print("{}", completion_script(described(cli.app()), *shell));
        return kFine;
      });
  command.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.footer("For this shell:  source <(latchlab completion bash)");
}

void add_manual(Cli& cli) {
  CLI::App& command = cli.add("manual", "Print the manual page", [&cli] {
    fmt::print("{}", manual_page(described(cli.app()), LATCHLAB_VERSION));
    return kFine;
  });
  command.footer("To read it:  latchlab manual | man -l -");
}

}  // namespace

void add_help_commands(Cli& cli) {
  add_doctor(cli);
  add_completion(cli);
  add_manual(cli);
}

}  // namespace latchlab::tool
