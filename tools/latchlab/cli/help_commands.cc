// The commands that need no scenario.

#include <fmt/core.h>

#include "tools/latchlab/classroom.h"
#include "tools/latchlab/cli/cli.h"
#include "tools/latchlab/cli/described.h"
#include "tools/latchlab/doctor.h"
#include "tools/latchlab/list.h"
#include "tools/latchlab/new_protocol.h"

namespace latchlab::tool {

void add_list(Cli& cli) {
  const auto arguments = tool::arguments<ListArguments>();
  CLI::App& command = cli.add("list", "List protocols, workloads, NICs, scenarios and other names",
                              [arguments] { return list(*arguments); });
  command.add_option("what", arguments->what, "What to list; paths are those of --set")
      ->required()
      ->check(CLI::IsMember({"protocols", "workloads", "metrics", "nics", "software", "scenarios",
                             "checks", "experiments", "paths", "profiles", "topics"}));
  add_data(command, arguments->data);
  command.add_flag("--json", arguments->json, "Print JSON, for programs");
  command.add_flag("--names", arguments->names, "Print only names, one per line");
  command.add_flag("--markdown", arguments->markdown,
                   "Print protocols as the tables of docs/locks.md");
  cli.take_plugins(command);
}

void add_schema(Cli& cli) {
  const auto arguments = tool::arguments<SchemaArguments>();
  CLI::App& command =
      cli.add("schema", "Print a JSON Schema of scenarios, for completion and checks in editors",
              [arguments] { return schema(*arguments); });
  CLI::Option* nic =
      command.add_flag("--nic", arguments->nic, "The schema of files under models/nics instead");
  command
      .add_flag("--markdown", arguments->markdown,
                "Print it as Markdown: docs/scenario-reference.md")
      ->excludes(nic);
  command.footer(
      "For an editor with the YAML extension, name the schema in the first line of a scenario:\n"
      "  latchlab schema > scenario.schema.json\n"
      "  # yaml-language-server: $schema=scenario.schema.json");
}

void add_explain(Cli& cli) {
  const auto arguments = tool::arguments<ExplainArguments>();
  CLI::App& command =
      cli.add("explain", "Explain a metric, phase, constant, parameter, key, verdict or term",
              [arguments] { return explain(*arguments); });
  command
      .add_option("name", arguments->name,
                  "For example acquire_ns.p99, WP, atomic.window, shiftlock.lease, UNSAFE [list "
                  "all names]")
      ->type_name("TOPIC");
  command.add_option("--nic", arguments->nic, "NIC whose values of constants are shown")
      ->type_name("NIC")
      ->capture_default_str();
  add_data(command, arguments->data);
  command.add_flag("--json", arguments->json,
                   "Print one JSON document; without a topic, of all topics");
  command.add_flag("--glossary", arguments->glossary,
                   "Print all terms as Markdown: docs/glossary.md");
}

void add_classroom(Cli& cli) {
  const auto arguments = tool::arguments<ClassroomArguments>();
  CLI::App& command =
      cli.add("classroom", "Write interactive lessons on contention: predict, then watch",
              [arguments] { return classroom(*arguments); });
  CLI::Option* lesson =
      command
          .add_option("lesson", arguments->lesson,
                      "Number or name of the lesson: 2, 02-retry-storm [list all lessons]")
          ->type_name("LESSON");
  command
      .add_flag("--all", arguments->all,
                "Write a site of all lessons, with an index, a worksheet to print and an answer "
                "key for teachers")
      ->excludes(lesson);
  command.add_option("--out", arguments->out, "Directory for pages and their runs")
      ->type_name("DIR")
      ->capture_default_str();
  add_data(command, arguments->data);
  add_jobs(command, arguments->jobs, "Simulations");
  command.footer(
      "A lesson's page has a question, a place to draw what you expect, an animation of clients "
      "and\n"
      "RNIC, and the answer, which is hidden until you open it. Pages need no network.\n"
      "  latchlab classroom 2              runs lesson 2 and writes classroom/02-retry-storm.html\n"
      "  latchlab classroom --all --out site");
}

void add_new(Cli& cli) {
  const auto arguments = tool::arguments<NewProtocolArguments>();
  CLI::App& command = cli.add(
      "new", "Write the files of a new lock: they build, pass their tests and can be explored",
      [arguments] { return new_protocol(*arguments); });
  command.add_option("what", arguments->what, "protocol: a lock")
      ->required()
      ->check(CLI::IsMember({"protocol"}));
  command.add_option("name", arguments->name, "Name in snake_case, for example my_lock")
      ->required()
      ->type_name("NAME");
  command.add_flag(
      "--out-of-tree", arguments->out_of_tree,
      "Write a directory NAME that builds a plug-in, instead of files in Latchlab's source tree");
  command
      .add_option("--out", arguments->out,
                  "The source tree, or the directory to create [the current directory, or NAME]")
      ->type_name("DIR");
  cli.take_plugins(command);
  command.footer("Nothing is overwritten: either all files are written or none.\n\n" +
                 std::string(kExitCodes));
}

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

}  // namespace

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

}  // namespace latchlab::tool
