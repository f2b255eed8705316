#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

namespace {

void add_report(Cli& cli) {
  const auto arguments = tool::arguments<ReportArguments>();
  CLI::App& command =
      cli.add("report", "Write an HTML page about stored runs: figures, tables, verdicts",
              [arguments] { return report(*arguments); });
  command
      .add_option(
          "directories", arguments->directories,
          "Directories that latchlab run wrote; several runs share one page and its figures")
      ->required()
      ->type_name("DIR ...");
  command
      .add_option("--out", arguments->out,
                  "The page, replaced if it exists [DIR/report.html; for several runs report.html "
                  "in the current directory]")
      ->type_name("FILE");
  add_data(command, arguments->data);
  cli.take_plugins(command);
  command.footer(kExitCodes);
}

constexpr const char* kAboutCompare =
    "Compares each further run with the first: the differences between their scenarios, the ratio\n"
    "of each metric at each point that both have, with its 95% confidence interval, and whether "
    "the\n"
    "ranking of the locks is the same. Two points match if they have the same label and the same\n"
    "value on each axis.\n\n"
    "  latchlab run quickstart --repeats 3 --out a\n"
    "  latchlab run quickstart --repeats 3 --set platform.nic.atomic.window=48 --out b\n"
    "  latchlab compare a b\n\n"
    "Repeats with equal seeds are compared pairwise, which detects small differences. A ratio is\n"
    "undecided if its interval contains 1 or it is within 1% of 1. A point that is UNSAFE,\n"
    "DEADLOCK, FAILED or interrupted is never better.\n\n"
    "If one run is a simulation and the other is on hardware, each value has the relative error "
    "of\n"
    "the simulation, with its interval. Both runs must be of the same scenario, with the same\n"
    "run.guard, run.warmup and run.duration; only keys that describe the simulated cluster may\n"
    "differ, such as the constants of the NIC, clocks and topology. Points with emulated verbs, "
    "and\n"
    "points on soft-RoCE, are marked and ranked separately.\n\n"
    "  latchlab compare simulated measured --explain\n\n"
    "--explain simulates the points with each constant of the NIC multiplied by 1.25, and fits "
    "the\n"
    "constants that explain the errors best. For each it prints the factor, its interval, which\n"
    "other constants cannot be told apart from it, and which constants these runs do not "
    "determine.\n"
    "It needs three repeats in both runs. Of two simulations it explains the first.\n";

void add_compare(Cli& cli) {
  const auto arguments = tool::arguments<CompareArguments>();
  CLI::App& command = cli.add("compare", "Compare runs: differences with confidence intervals",
                              [arguments] { return compare_runs(*arguments); });
  command
      .add_option("directories", arguments->directories,
                  "Directories that latchlab run wrote; the first is the baseline")
      ->required()
      ->type_name("DIR ...");
  command
      .add_option("--metric", arguments->metrics,
                  "Compare also this metric, a path in results.json such as acquire_ns.p999 "
                  "(repeatable) [goodput_ops_s, acquire_ns.p50, acquire_ns.p99, fairness.jain]")
      ->type_name("PATH")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--only", arguments->only, "Compare only the metrics that --metric names");
  command.add_flag("--explain", arguments->explain,
                   "Find the constants of the simulated NIC that explain the differences");
  add_jobs(command, arguments->jobs, "Simulations for --explain");
  command.add_flag("--json", arguments->json,
                   "Print a JSON list with an object for each comparison");
  command
      .add_option("--out", arguments->out,
                  "Also write the page of latchlab report on these runs, with the comparison")
      ->type_name("FILE");
  add_data(command, arguments->data);
  cli.take_plugins(command);
  command.footer(std::string(kAboutCompare) + "\n" + kExitCodes);
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

}  // namespace

void add_report_commands(Cli& cli) {
  add_classroom(cli);
  add_report(cli);
  add_compare(cli);
}

}  // namespace latchlab::tool
