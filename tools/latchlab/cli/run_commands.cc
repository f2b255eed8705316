#include "tools/latchlab/cli/cli.h"

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

void add_scenario_options(CLI::App& command, ScenarioArguments& arguments) {
  command.add_option("scenario", arguments.scenario, "A scenario file, or a name under scenarios/")
      ->type_name("SCENARIO")
      ->required();
  add_overrides(command, arguments);
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
  command.add_flag("--quiet", arguments.quiet, "No progress, no table");
  command.add_flag("--strict", arguments.strict,
                   "Exit 1 for a missed validation as for a missed calibration or regression");
  command.footer(kExitCodes);
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
}

void add_reproduce(Cli& cli) {
  const auto arguments = tool::arguments<ReproduceArguments>();
  CLI::App& command = cli.add(
      "reproduce", "Run the experiments of a paper and score them against what it published",
      [arguments] { return reproduce(*arguments); });
  command.add_option("what", arguments->what,
                     "PAPER or PAPER/EXPERIMENT under scenarios/papers [all papers]");
  add_overrides(command, arguments->run.input);
  add_run_options(command, arguments->run,
                  "Where results go, a directory per experiment [results/reproduce-N]");
}

void add_check(Cli& cli) {
  const auto arguments = tool::arguments<ScenarioArguments>();
  CLI::App& command =
      cli.add("check", "Read a scenario and say what is wrong or unwise in it; run nothing",
              [arguments] { return check(*arguments); });
  add_scenario_options(command, *arguments);
}

}  // namespace

void add_run_commands(Cli& cli) {
  add_run(cli);
  add_reproduce(cli);
  add_check(cli);
}

}  // namespace latchlab::tool
