#include <fmt/core.h>

#include <charconv>
#include <system_error>

#include "tools/latchlab/check.h"
#include "tools/latchlab/cli/cli.h"
#include "tools/latchlab/reproduce.h"
#include "tools/latchlab/run.h"

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
  command
      .add_option("--backend", arguments.backend,
                  "Where the locks run: simgrid, the simulator; ibverbs, RDMA devices")
      ->check(CLI::IsMember({"simgrid", "ibverbs"}))
      ->capture_default_str();
  command.add_flag("--resume", arguments.resume,
                   "Continue an interrupted run, or add --repeats to a finished one: in --out, or "
                   "else in its newest directory; finished repeats are kept");
  command.add_flag("--beyond-memory", arguments.beyond_memory,
                   "Run even if the estimate exceeds this machine's memory");
  command.add_flag("--quiet", arguments.quiet, "Print no progress and no table");
  command.add_flag(
      "--strict", arguments.strict,
      "Exit 1 also for a missed validation value, as for a missed calibration or regression value");
  command.footer(kExitCodes);
}

// A partition key in hexadecimal, as usual; bit 15 marks full members.
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
      .add_option("--address", hardware.addresses,
                  "IPv4 or IPv6 address for a node on this machine; several are assigned to nodes "
                  "in turn [IPv4 before IPv6, link-local ones last]")
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
                  "Partition key of the fabric, such as 0x8001 [the first in the port's table]")
      ->type_name("PKEY")
      ->check(partition())
      ->group(group);
  command
      .add_option("--sl", hardware.sl,
                  "Service level of all packets: InfiniBand 0 to 15, RoCE 0 to 7 (the priority)")
      ->type_name("N")
      ->check(whole_number(0, 15))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--traffic-class", hardware.traffic_class,
                  "Traffic class in the IP header of all packets (RoCE): 4 x DSCP")
      ->type_name("N")
      ->check(whole_number(0, 255))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--rendezvous", hardware.rendezvous,
                  "Wait at this address for nodes that are started by latchlab node; all share "
                  "LATCHLAB_TOKEN [start all nodes on this machine]")
      ->type_name("HOST:PORT")
      ->group(group);
}

void add_hardware_run(CLI::App& command, HardwareArguments& hardware) {
  add_fabric(command, hardware, kHardwareGroup);
  const char* const group = kHardwareGroup;
  command.add_option("--workers", hardware.workers, "Client threads on each node")
      ->type_name("N")
      ->check(whole_number(1, 254))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--server-workers", hardware.server_workers,
                  "Threads of each server that answer calls to the lock's server part")
      ->type_name("N")
      ->check(whole_number(1, 254))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--agents", hardware.agents,
                "On each node a thread executes all verbs on the node's memory, for all locks "
                "[only for locks that need more than the device has]")
      ->group(group);
  command
      .add_option("--transport", hardware.transport,
                  "Transport of verbs: rc, a QP for each client and node; dc, initiators and "
                  "targets of mlx5's dynamically connected transport")
      ->type_name("NAME")
      ->check(CLI::IsMember({"rc", "dc"}))
      ->capture_default_str()
      ->group(group);
}

namespace {

void add_trace(CLI::App& command, exporting::TraceRequest& trace) {
  CLI::Option* const wanted =
      command.add_flag("--trace", trace.wanted,
                       "Write DIR/traces/POINT.json, a trace of all clients for ui.perfetto.dev; "
                       "does not change results");
  wanted->excludes(command.get_option("--resume"));  // what is finished is not run again
  command
      .add_option("--trace-window", trace.window,
                  "Interval of simulated time to trace; or worst: around the longest acquisition "
                  "[the first 100us of the measured window]")
      ->type_name("FROM+LENGTH|worst")
      ->needs(wanted);
  command
      .add_option(
          "--trace-points", trace.points,
          "Numbers of the points to trace, from 0 [all points if at most 8, else the first]")
      ->type_name("N,...")
      ->needs(wanted);
}

}  // namespace

void add_run(Cli& cli) {
  const auto arguments = tool::arguments<RunArguments>();
  CLI::App& command =
      cli.add("run", "Run a scenario: print a table, and write results to a directory",
              [arguments] { return run(*arguments); });
  add_scenario_options(command, arguments->input);
  add_run_options(command, *arguments,
                  "Directory for results; must not exist [results/NAME-N, the first free N]");
  command.add_flag("--json", arguments->json, "Print results.json on stdout and nothing else");
  command.add_flag("--sensitivity", arguments->sensitivity,
                   "Sensitivity of the ranking: repeat the last comparison at both ends of each "
                   "model constant's range");
  add_trace(command, arguments->trace);
  add_hardware_run(command, arguments->hardware);
  cli.take_plugins(command);
}

void add_node(Cli& cli) {
  const auto arguments = tool::arguments<NodeArguments>();
  CLI::App& command = cli.add("node", "Join a run on hardware as one of its nodes",
                              [arguments] { return node(*arguments); });
  command
      .add_option("--rendezvous", arguments->rendezvous,
                  "Address at which latchlab run waits for nodes")
      ->type_name("HOST:PORT")
      ->required();
  command
      .add_option("--token-file", arguments->token_file,
                  "File whose first line is the run's secret [LATCHLAB_TOKEN]")
      ->type_name("FILE");
  add_hardware(command, arguments->hardware, kHardwareGroup);
  add_data(command, arguments->data);
  command
      .add_option(
          "--journals", arguments->journals,
          "Set by latchlab run for nodes that it starts: directory of guard journals; such a node "
          "may read any file that the scenario names [only files below data directories]")
      ->type_name("DIR");
  command.footer(kExitCodes);
  cli.take_plugins(command);
}

void add_reproduce(Cli& cli) {
  const auto arguments = tool::arguments<ReproduceArguments>();
  CLI::App& command = cli.add(
      "reproduce", "Run the experiments of a paper and score them against its published values",
      [arguments] { return reproduce(*arguments); });
  command
      .add_option("what", arguments->what,
                  "PAPER or PAPER/EXPERIMENT under scenarios/papers [all papers]")
      ->type_name("EXPERIMENT");
  add_overrides(command, arguments->run.input);
  add_run_options(
      command, arguments->run,
      "Directory for results: a page per paper, a directory per experiment [results/reproduce-N]");
  CLI::Option* const quick =
      command.add_flag("--quick", arguments->quick,
                       "Rough results in a few minutes: fewer points, shorter windows, at most 3 "
                       "repeats, no sensitivity to model constants");
  command
      .add_option("--predictions", arguments->predictions,
                  "Directory for PAPER.csv: value, low and high of every metric [OUT/predictions]")
      ->type_name("DIR")
      ->excludes(quick);
  cli.take_plugins(command);
}

void add_check(Cli& cli) {
  const auto arguments = tool::arguments<CheckArguments>();
  CLI::App& command =
      cli.add("check", "Check a scenario for errors and likely mistakes, without running it",
              [arguments] { return check(*arguments); });
  add_scenario_options(command, arguments->input);
  command.add_flag("--json", arguments->json, "Print one JSON document, also for errors");
  cli.take_plugins(command);
}

void add_scenario_options(CLI::App& command, ScenarioArguments& arguments) {
  command
      .add_option("scenario", arguments.scenario,
                  "A scenario file, a name under scenarios/, or - for stdin")
      ->type_name("SCENARIO")
      ->required();
  add_overrides(command, arguments);
}

}  // namespace latchlab::tool
