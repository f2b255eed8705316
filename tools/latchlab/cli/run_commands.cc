#include <fmt/core.h>

#include <charconv>
#include <system_error>

#include "tools/latchlab/cli/cli.h"
#include "tools/latchlab/cli/hardware_options.h"

namespace latchlab::tool {

namespace {

void add_overrides(CLI::App& command, ScenarioArguments& arguments) {
  command
      .add_option("--set", arguments.sets,
                  "Change one value, written as in the file: --set locks.count=1 (repeatable)")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--seed", arguments.seed, "Replaces run.seed")
      ->type_name("N")
      ->check(whole_number(0, kMostSeed));
  command.add_option("--repeats", arguments.repeats, "Replaces run.repeats")
      ->type_name("N")
      ->check(whole_number(1, 1'000));
  add_data(command, arguments.data);
}

void add_run_options(CLI::App& command, RunArguments& arguments, const char* out) {
  command.add_option("--out", arguments.out, out)->type_name("DIR");
  add_jobs(command, arguments.jobs, "Points");
  command.add_option("--backend", arguments.backend, "What the locks run on")
      ->check(CLI::IsMember({"simgrid", "ibverbs"}))
      ->capture_default_str();
  command.add_flag("--resume", arguments.resume,
                   "Go on with a run that was cut short: in --out, or else in its newest "
                   "directory; what it has finished is kept");
  command.add_flag("--beyond-memory", arguments.beyond_memory,
                   "Run although the estimate is beyond this machine's memory");
  command.add_flag("--quiet", arguments.quiet, "No progress, no table");
  command.add_flag("--strict", arguments.strict,
                   "Exit 1 for a missed validation as for a missed calibration or regression");
  command.footer(kExitCodes);
}

// Hexadecimal, as everybody writes them; bit 15 says whether a member is a full one.
CLI::Validator partition() {
  const auto check = [](const std::string& text) -> std::string {
    std::uint32_t pkey = 0;
    const bool prefixed = text.starts_with("0x") && text.size() > 2;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + (prefixed ? 2 : 0), end, pkey, 16);
    if (prefixed && error == std::errc() && stop == end && pkey <= 0xffff && (pkey & 0x7fff) != 0)
      return {};
    return fmt::format("'{}' is no partition key; they are 0x0001 to 0xffff, but 0x8000", text);
  };
  return CLI::Validator(check, "");
}

constexpr const char* kHardwareGroup = "On hardware (--backend ibverbs)";

void add_hardware(CLI::App& command, HardwareArguments& hardware, const char* group) {
  command.add_option("--device", hardware.device, "RDMA device [the first whose port is up]")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option(
          "--address", hardware.addresses,
          "IPv4 or IPv6 address of a node on this machine; repeated, one each in turn [IPv4 "
          "before IPv6, link-local ones last]")
      ->type_name("IP")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command.add_option("--port", hardware.port, "Port of the device, from 1 [the first that is up]")
      ->type_name("N")
      ->check(whole_number(1, 255))
      ->group(group);
  command
      .add_option("--gid-index", hardware.gid_index,
                  "Entry of the port's GID table (show_gids, ibv_devinfo -v) in place of --address")
      ->type_name("N")
      ->check(whole_number(0, 255))
      ->excludes("--address")
      ->group(group);
}

}  // namespace

void add_fabric(CLI::App& command, HardwareArguments& hardware, const char* group) {
  add_hardware(command, hardware, group);
  command
      .add_option("--pkey", hardware.pkey,
                  "Partition of the fabric, as 0x8001 [the first that the port has]")
      ->type_name("PKEY")
      ->check(partition())
      ->group(group);
  command
      .add_option("--sl", hardware.sl,
                  "Service level of all packets: InfiniBand 0 to 15, RoCE 0 to 7 (its priority)")
      ->type_name("N")
      ->check(whole_number(0, 15))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--traffic-class", hardware.traffic_class,
                  "Traffic class in the IP header of all packets (RoCE): four times the DSCP")
      ->type_name("N")
      ->check(whole_number(0, 255))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--rendezvous", hardware.rendezvous,
                  "Wait here for nodes that are started elsewhere by latchlab node; they share "
                  "LATCHLAB_TOKEN [start all nodes on this machine]")
      ->type_name("HOST:PORT")
      ->group(group);
}

void add_hardware_run(CLI::App& command, HardwareArguments& hardware) {
  add_fabric(command, hardware, kHardwareGroup);
  const char* const group = kHardwareGroup;
  command.add_option("--workers", hardware.workers, "Threads of clients on each node")
      ->type_name("N")
      ->check(whole_number(1, 254))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--server-workers", hardware.server_workers,
                  "Threads of each server that answer calls to its server part")
      ->type_name("N")
      ->check(whole_number(1, 254))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--agents", hardware.agents,
                "A thread of each node executes every verb on its memory, for all locks [for those "
                "alone that need more than the device has]")
      ->group(group);
  command
      .add_option("--transport", hardware.transport,
                  "How verbs reach memory: rc, a QP for each client and node; dc, initiators and "
                  "targets of mlx5's dynamically connected transport")
      ->type_name("NAME")
      ->check(CLI::IsMember({"rc", "dc"}))
      ->capture_default_str()
      ->group(group);
}

namespace {

void add_trace(CLI::App& command, exporting::TraceRequest& trace) {
  CLI::Option* const wanted = command.add_flag("--trace", trace.wanted,
                                               "Write DIR/traces/POINT.json: what every client "
                                               "does, for ui.perfetto.dev; changes no result");
  wanted->excludes(command.get_option("--resume"));  // what is finished is not run again
  command
      .add_option("--trace-window", trace.window,
                  "What of simulated time is traced, or worst: around the longest acquisition [the "
                  "first 100us of the measured window]")
      ->type_name("FROM+LENGTH|worst")
      ->needs(wanted);
  command
      .add_option("--trace-points", trace.points,
                  "Which points are traced, from 0 [all of them up to 8, else the first]")
      ->type_name("N,...")
      ->needs(wanted);
}

void add_run(Cli& cli) {
  const auto arguments = tool::arguments<RunArguments>();
  CLI::App& command =
      cli.add("run", "Run a scenario: its table on the terminal, its results in a directory",
              [arguments] { return run(*arguments); });
  add_scenario_options(command, arguments->input);
  add_run_options(command, *arguments,
                  "Where results go; must not exist [results/NAME-N, the first free N]");
  command.add_flag("--json", arguments->json, "Print results.json on stdout and nothing else");
  command.add_flag("--sensitivity", arguments->sensitivity,
                   "Find the constants of the model on which the order of the locks hangs: run "
                   "the last comparison again at both ends of each constant's range");
  add_trace(command, arguments->trace);
  add_hardware_run(command, arguments->hardware);
  cli.take_plugins(command);
}

void add_node(Cli& cli) {
  const auto arguments = tool::arguments<NodeArguments>();
  CLI::App& command = cli.add("node", "Be one node of a run on hardware that is started elsewhere",
                              [arguments] { return node(*arguments); });
  command
      .add_option("--rendezvous", arguments->rendezvous, "Where latchlab run waits for its nodes")
      ->type_name("HOST:PORT")
      ->required();
  command
      .add_option("--token-file", arguments->token_file,
                  "File whose first line is the run's secret [LATCHLAB_TOKEN]")
      ->type_name("FILE");
  add_hardware(command, arguments->hardware, kHardwareGroup);
  add_data(command, arguments->data);
  command
      .add_option("--journals", arguments->journals,
                  "Given by latchlab run to nodes that it starts: where their guard journals are; "
                  "such a node reads any file that the scenario names [those below data "
                  "directories]")
      ->type_name("DIR");
  command.footer(kExitCodes);
  cli.take_plugins(command);
}

void add_reproduce(Cli& cli) {
  const auto arguments = tool::arguments<ReproduceArguments>();
  CLI::App& command = cli.add(
      "reproduce", "Run the experiments of a paper and score them against what it published",
      [arguments] { return reproduce(*arguments); });
  command
      .add_option("what", arguments->what,
                  "PAPER or PAPER/EXPERIMENT under scenarios/papers [all papers]")
      ->type_name("EXPERIMENT");
  add_overrides(command, arguments->run.input);
  add_run_options(command, arguments->run,
                  "Where results go: a page per paper, a directory per experiment "
                  "[results/reproduce-N]");
  CLI::Option* const quick = command.add_flag(
      "--quick", arguments->quick,
      "A first look in a few minutes: fewer points, shorter windows, at most 3 repeats, no "
      "sensitivity of conclusions to constants of the model");
  command
      .add_option("--predictions", arguments->predictions,
                  "Where PAPER.csv goes: value, low and high of every metric [OUT/predictions]")
      ->type_name("DIR")
      ->excludes(quick);
  cli.take_plugins(command);
}

void add_check(Cli& cli) {
  const auto arguments = tool::arguments<CheckArguments>();
  CLI::App& command =
      cli.add("check", "Read a scenario and say what is wrong or unwise in it; run nothing",
              [arguments] { return check(*arguments); });
  add_scenario_options(command, arguments->input);
  command.add_flag("--json", arguments->json, "For programs: one JSON document, of errors too");
  cli.take_plugins(command);
}

}  // namespace

void add_scenario_options(CLI::App& command, ScenarioArguments& arguments) {
  command
      .add_option("scenario", arguments.scenario,
                  "A scenario file, a name under scenarios/, or - for stdin")
      ->type_name("SCENARIO")
      ->required();
  add_overrides(command, arguments);
}

void add_run_commands(Cli& cli) {
  add_run(cli);
  add_reproduce(cli);
  add_check(cli);
  add_node(cli);
}

}  // namespace latchlab::tool
