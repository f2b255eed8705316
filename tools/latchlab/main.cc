// The command line. Everything that is said about options is said here, once.

#include <fmt/core.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include "tools/latchlab/commands.h"

namespace {

using namespace latchlab::tool;
namespace explore = latchlab::explore;

constexpr const char* kAbout =
    "Latchlab studies locks over RDMA: the same protocol code on a simulated fabric, on an\n"
    "explorer, and later on hardware.\n\n"
    "Start with:  latchlab run quickstart\n"
    "Then change one thing:  latchlab run quickstart --set workload.read_ratio=95%";

constexpr std::uint64_t kMostSeed = 0x7fff'ffff'ffff'ffff;

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= least && value <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

constexpr const char* kExitCodes =
    "Exit codes: 0 fine; 1 a lock broke its promise, a point failed, or a published figure that\n"
    "must hold was missed; 2 bad input; 3 this build or machine cannot; 130 interrupted, what was\n"
    "finished is kept.";

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
  command.add_option("--data", arguments.data, "Where models/ and scenarios/ are looked up first")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
}

void add_scenario_options(CLI::App& command, ScenarioArguments& arguments) {
  command.add_option("scenario", arguments.scenario, "A scenario file, or a name under scenarios/")
      ->required();
  add_overrides(command, arguments);
}

void add_run_options(CLI::App& command, RunArguments& arguments, const char* out) {
  command.add_option("--out", arguments.out, out)->type_name("DIR");
  command.add_option("--jobs", arguments.jobs, "Points at once; does not change results [cores]")
      ->type_name("N")
      ->check(whole_number(1, 4'096));
  command.add_option("--backend", arguments.backend, "What the locks run on")
      ->check(CLI::IsMember({"simgrid", "ibverbs"}))
      ->capture_default_str();
  command.add_flag("--quiet", arguments.quiet, "No progress, no table");
  command.add_flag("--strict", arguments.strict,
                   "Exit 1 for a missed validation as for a missed calibration or regression");
  command.footer(kExitCodes);
}

CLI::App& add_run(CLI::App& app, RunArguments& arguments) {
  CLI::App& command = *app.add_subcommand(
      "run", "Run a scenario: its table on the terminal, its results in a directory");
  add_scenario_options(command, arguments.input);
  add_run_options(command, arguments,
                  "Where results go; must not exist [results/NAME-N, the first free N]");
  command.add_flag("--json", arguments.json, "Print results.json on stdout and nothing else");
  return command;
}

CLI::App& add_reproduce(CLI::App& app, ReproduceArguments& arguments) {
  CLI::App& command = *app.add_subcommand(
      "reproduce", "Run the experiments of a paper and score them against what it published");
  command.add_option("what", arguments.what,
                     "PAPER or PAPER/EXPERIMENT under scenarios/papers [all papers]");
  add_overrides(command, arguments.run.input);
  add_run_options(command, arguments.run,
                  "Where results go, a directory per experiment [results/reproduce-N]");
  return command;
}

CLI::App& add_calibrate(CLI::App& app, CalibrateArguments& arguments) {
  CLI::App& command = *app.add_subcommand(
      "calibrate", "Fit a NIC's constants to published measurements; minutes of simulation");
  command.add_option("fit", arguments.fit, "A file, or a name under models/fits/")
      ->capture_default_str();
  command.add_option("--out", arguments.out, "Write the page DIR/NAME.md instead of printing it")
      ->type_name("DIR");
  command
      .add_option("--jobs", arguments.jobs, "Simulations at once; does not change results [cores]")
      ->type_name("N")
      ->check(whole_number(1, 4'096));
  command.add_option("--data", arguments.data, "Where models/ is looked up first")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  command.add_flag("--json", arguments.json, "Print one JSON document on stdout and nothing else");
  command.add_flag("--quiet", arguments.quiet, "No progress");
  command.footer(kExitCodes);
  return command;
}

// What most options of explore are: a number within bounds, or a text.
template <class Number>
CLI::Option& number(CLI::App& command, const char* name, Number& value, std::uint64_t least,
                    std::uint64_t most, const char* help) {
  CLI::Option& option = *command.add_option(name, value, help);
  return *option.type_name("N")->check(whole_number(least, most))->capture_default_str();
}
template <class Text>
CLI::Option& text(CLI::App& command, const char* name, Text& value, const char* type,
                  const char* help) {
  return *command.add_option(name, value, help)->type_name(type);
}

void add_time(CLI::App& command, ExploreArguments& arguments) {
  text(command, "--latencies", arguments.latencies, "TIME ...",
       "Search in time: each leg of a verb (to its effect, and back) takes one of these");
  number(command, "--drift", arguments.campaign.drift_ppm, 0, 100'000,
         "In time: each client node's clock runs so many ppm slow, right, or fast");
  text(command, "--hold", arguments.hold, "TIME",
       "In time: how long a client keeps the lock [longest latency]");
  text(command, "--patience", arguments.patience, "TIME",
       "In time: a client gives up after so long, where the lock lets it [never]");
  text(command, "--horizon", arguments.horizon, "TIME",
       "In time: what happens later is not looked at [1000 times the longest latency]");
}

CLI::App& add_explore(CLI::App& app, ExploreArguments& arguments) {
  CLI::App& command = *app.add_subcommand(
      "explore", "Search the orders of events of a small world for one that breaks a lock");
  explore::Case& base = arguments.campaign.base;
  text(command, "--protocol", base.protocol, "NAME", "See: latchlab list protocols").required();
  text(command, "--profile", base.profile, "NAME", "[the small model: rare paths within reach]");
  text(command, "--set", base.sets, "NAME=VALUE",
       "A parameter of the protocol, over the profile (repeatable)")
      .expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  number(command, "--clients", arguments.campaign.clients, 1, 16, "How many there are");
  number(command, "--operations", base.operations, 1, 64, "Acquisitions of each client");
  number(command, "--locks", base.locks, 1, 64, "Each client takes one after the other");
  command
      .add_option("--readers", arguments.campaign.readers,
                  "So many clients only read, the others only write [every assignment]")
      ->type_name("N")
      ->check(whole_number(0, 16));
  text(command, "--modes", base.modes, "TEXT ...",
       "One assignment: for each client a text such as XS, writes then reads");
  number(command, "--crashes", base.crashes, 0, 16, "Clients that may die, at any moment");
  number(command, "--pauses", base.pauses, 0, 16,
         "How often a client may stand still while leases run out");
  number(command, "--timeouts", base.timeouts, 0, 1'000,
         "How often a lease may run out once somebody has died or stands still");
  add_time(command, arguments);
  command.add_option("--placement", arguments.placement, "A node for each client, one for all")
      ->check(CLI::IsMember({"spread", "together", "both"}))
      ->capture_default_str();
  command
      .add_option("--strategy", arguments.strategy,
                  "exhaustive: all orders; pct, random: one order at a time")
      ->check(CLI::IsMember({"exhaustive", "pct", "random"}))
      ->capture_default_str();
  text(command, "--budget", arguments.budget, "N|TIME",
       "States in all, or walks of each case [10000]; or a time such as 60s");
  number(command, "--seed", arguments.campaign.seed, 0, kMostSeed, "Of random walks");
  text(command, "--out", arguments.out, "DIR", "Where traces of what is found go")
      .capture_default_str();
  command.add_flag("--every-step", arguments.every_step,
                   "Merge no steps: slower, the same answers; for whoever doubts the merging");
  command.add_flag("--json", arguments.json, "Print one JSON document on stdout and nothing else");
  command.add_flag("--quiet", arguments.quiet, "No progress");
  command.footer(kExitCodes);
  return command;
}

CLI::App& add_replay(CLI::App& app, std::string& file) {
  CLI::App& command =
      *app.add_subcommand("replay", "Tell what latchlab explore found, step by step");
  command.add_option("trace", file, "A file that latchlab explore wrote")
      ->required()
      ->type_name("FILE");
  return command;
}

// One line, and where to read on. `command` is the first word after the program's name.
std::string complaint(const std::string& command, const CLI::App& app, const CLI::Error& error) {
  std::string known;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name() == command)
      return fmt::format("latchlab {}: {}\nSee: latchlab {} --help\n", command, error.what(),
                         command);
    known += (known.empty() ? "" : ", ") + each->get_name();
  }
  if (command.empty())
    return fmt::format("latchlab: a command is missing; known: {}\nTry: latchlab run quickstart\n",
                       known);
  if (command.front() != '-')
    return fmt::format("latchlab: unknown command '{}'; known: {}\n", command, known);
  return fmt::format("latchlab: {}\nSee: latchlab --help\n", error.what());
}

// What was printed may still be on its way: a full disk shows here.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return complain({fmt::format("cannot write to stdout: {}", std::strerror(errno)), {}}, kCannot);
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error of write(), and is told
  CLI::App app{kAbout, "latchlab"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("latchlab " LATCHLAB_VERSION));
  app.footer(kExitCodes);
  const std::string command = argc > 1 ? argv[1] : "";
  app.failure_message([&](const CLI::App* /*failed*/, const CLI::Error& error) {
    return complaint(command, app, error);
  });

  RunArguments run_arguments;
  const CLI::App& run_command = add_run(app, run_arguments);

  ReproduceArguments reproduce_arguments;
  const CLI::App& reproduce_command = add_reproduce(app, reproduce_arguments);

  ScenarioArguments check_arguments;
  CLI::App& check_command = *app.add_subcommand(
      "check", "Read a scenario and say what is wrong or unwise in it; run nothing");
  add_scenario_options(check_command, check_arguments);

  CalibrateArguments calibrate_arguments;
  const CLI::App& calibrate_command = add_calibrate(app, calibrate_arguments);

  ExploreArguments explore_arguments;
  const CLI::App& explore_command = add_explore(app, explore_arguments);
  std::string trace_file;
  const CLI::App& replay_command = add_replay(app, trace_file);

  std::string list_what;
  std::string list_data;
  bool list_json = false;
  CLI::App& list_command = *app.add_subcommand("list", "What there is to choose from");
  list_command.add_option("what", list_what, "protocols, workloads, nics, scenarios or checks")
      ->required()
      ->check(CLI::IsMember({"protocols", "workloads", "nics", "scenarios", "checks"}));
  list_command.add_option("--data", list_data, "Where models/ and scenarios/ are looked up first")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  list_command.add_flag("--json", list_json, "For programs");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? flushed(kFine) : kBadInput;
  }
  try {
    if (run_command.parsed()) return flushed(run(run_arguments));
    if (reproduce_command.parsed()) return flushed(reproduce(reproduce_arguments));
    if (calibrate_command.parsed()) return flushed(calibrate(calibrate_arguments));
    if (explore_command.parsed()) return flushed(explore_protocol(explore_arguments));
    if (replay_command.parsed()) return flushed(replay(trace_file));
    if (check_command.parsed()) return flushed(check(check_arguments));
    return flushed(list(list_what, list_data, list_json));
  } catch (const std::system_error& error) {  // of fmt::print
    return complain({fmt::format("cannot write: {}", error.what()), {}}, kCannot);
  }
}
