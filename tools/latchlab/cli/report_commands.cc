#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

namespace {

void add_report(Cli& cli) {
  const auto arguments = tool::arguments<ReportArguments>();
  CLI::App& command =
      cli.add("report", "Write the page on stored runs: figures, tables, verdicts; for a browser",
              [arguments] { return report(*arguments); });
  command
      .add_option("directories", arguments->directories,
                  "What latchlab run wrote; several runs share one page, their figures together")
      ->required()
      ->type_name("DIR ...");
  command
      .add_option("--out", arguments->out,
                  "The page, replaced if it exists [DIR/report.html; of several report.html here]")
      ->type_name("FILE");
  add_data(command, arguments->data);
  cli.take_plugins(command);
  command.footer(kExitCodes);
}

constexpr const char* kAboutCompare =
    "What the second run has beside the first: in what their scenarios differ, the ratio of each\n"
    "metric at each point that is in both, with its 95% interval, and whether the locks keep "
    "their\n"
    "order. Points belong together that have the same label and the same value on each axis.\n\n"
    "  latchlab run quickstart --repeats 3 --out a\n"
    "  latchlab run quickstart --repeats 3 --set platform.nic.atomic.window=48 --out b\n"
    "  latchlab compare a b\n\n"
    "Repeats of equal seeds are compared one by one, which tells small differences. A ratio is\n"
    "undecided where its interval contains 1 or it is within 1% of 1; a point that is UNSAFE,\n"
    "DEADLOCK, FAILED or interrupted is never better.\n\n"
    "Of a simulation beside hardware each number has the relative error of the simulation, with "
    "its\n"
    "interval. Both must be of the same scenario, with the same run.guard, run.warmup and\n"
    "run.duration; only what describes a simulated world may differ, such as the constants of the\n"
    "NIC, clocks and topology. What was emulated, or is soft-RoCE's, is marked and ranked "
    "apart.\n\n"
    "  latchlab compare simulated measured --explain\n\n"
    "--explain simulates the points with each constant of the NIC 1.25 times as great, and fits "
    "those\n"
    "that explain the errors best: factor, interval, which others cannot be told apart from it, "
    "and\n"
    "of which these runs say nothing. It wants three repeats in both. Of two simulations the first "
    "is\n"
    "explained.\n";

void add_compare(Cli& cli) {
  const auto arguments = tool::arguments<CompareArguments>();
  CLI::App& command = cli.add("compare", "Compare runs: differences with confidence intervals",
                              [arguments] { return compare_runs(*arguments); });
  command
      .add_option("directories", arguments->directories,
                  "What latchlab run wrote; the first is what the others are measured by")
      ->required()
      ->type_name("DIR ...");
  command
      .add_option("--metric", arguments->metrics,
                  "Compare this too, a path of results.json such as acquire_ns.p999 (repeatable) "
                  "[goodput_ops_s, acquire_ns.p50, acquire_ns.p99, fairness.jain]")
      ->type_name("PATH")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--only", arguments->only, "Compare nothing but what --metric names");
  command.add_flag("--explain", arguments->explain,
                   "Say which constant of the simulated NIC would explain the differences");
  add_jobs(command, arguments->jobs, "Simulations for --explain");
  command.add_flag("--json", arguments->json, "Print a list with an object for each comparison");
  command
      .add_option("--out", arguments->out,
                  "Also a page: that of latchlab report on these runs, with the comparison")
      ->type_name("FILE");
  add_data(command, arguments->data);
  cli.take_plugins(command);
  command.footer(std::string(kAboutCompare) + "\n" + kExitCodes);
}

void add_classroom(Cli& cli) {
  const auto arguments = tool::arguments<ClassroomArguments>();
  CLI::App& command =
      cli.add("classroom", "Make lessons on contention: interactive pages, predict and then watch",
              [arguments] { return classroom(*arguments); });
  CLI::Option* lesson = command
                            .add_option("lesson", arguments->lesson,
                                        "Its number or name: 2, 02-retry-storm [a list of all]")
                            ->type_name("LESSON");
  command
      .add_flag("--all", arguments->all,
                "A site of all lessons, with an index, a worksheet to print and a key for teachers")
      ->excludes(lesson);
  command.add_option("--out", arguments->out, "Where pages and the runs behind them go")
      ->type_name("DIR")
      ->capture_default_str();
  add_data(command, arguments->data);
  add_jobs(command, arguments->jobs, "Simulations");
  command.footer(
      "A lesson's page has its question, a place to draw what you expect, clients and RNIC as an\n"
      "animation, and the answer, which stays hidden until you ask for it. Pages need no network.\n"
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
