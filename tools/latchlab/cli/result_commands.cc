// The commands that read results: report, export, compare; and find, which compares.

#include "tools/latchlab/cli/cli.h"
#include "tools/latchlab/compare.h"
#include "tools/latchlab/find.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

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

namespace {

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
    "undecided if its interval contains 1, if it is within 1% of 1, or, with fewer than three\n"
    "repeats, unless it exceeds what parts of the windows differ by. A point that is UNSAFE,\n"
    "DEADLOCK, FAILED, interrupted, starved, not settled or has cut sections is never better.\n\n"
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

}  // namespace

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

void add_export(Cli& cli) {
  const auto arguments = tool::arguments<ExportArguments>();
  CLI::App& command = cli.add("export", "Write the results of a finished run for other programs",
                              [arguments] { return export_run(*arguments); });
  command.add_option("directory", arguments->directory, "A directory that latchlab run wrote")
      ->required()
      ->type_name("DIR");
  command
      .add_flag("--gnuplot", arguments->gnuplot,
                "Write DIR/gnuplot/: data, a script per figure and a Makefile; then, for PDFs:  "
                "cd DIR/gnuplot && gnuplot *.gp")
      ->required();
  add_data(command, arguments->data);
  cli.take_plugins(command);
  command.footer(kExitCodes);
}

namespace {

constexpr const char* kAboutFind =
    "Finds where, along one axis of a scenario, two locks cross, or a metric passes a value:\n\n"
    "  latchlab find quickstart --cross mcs,CAS-B --along platform.clients_per_node=1..48\n"
    "  latchlab find quickstart --metric acquire_ns.p99 --passes 100us --of mcs \\\n"
    "      --along platform.clients_per_node=1..48\n\n"
    "The search first runs five values, spaced by equal factors (counts, times) or equal steps\n"
    "(ratios). Between neighbours with different winners it halves the interval, until that is\n"
    "narrower than --precision or the winner is undecided. Each value is decided as by latchlab\n"
    "compare, with at least three repeats. Points that failed a check, have not settled, starve\n"
    "clients or do not carry their load decide nothing. The answer is the interval between the "
    "last\n"
    "two decided values. An axis may be any number: a key of the scenario\n"
    "(docs/scenario-reference.md), platform.nic.KEY, or protocol.PARAMETER. Set everything else\n"
    "that the scenario sweeps to one value.\n\n"
    "DIR has the files of a run, for latchlab report, compare and export, and find.json.\n";

void add_question(CLI::App& command, FindArguments& arguments) {
  const auto option = [&](const char* name, std::string& value, const char* type,
                          const char* help) {
    return command.add_option(name, value, help)->type_name(type);
  };
  option("--along", arguments.along, "PATH=LOW..HIGH", "The axis to search, and its ends")
      ->required();
  CLI::Option* const cross = option("--cross", arguments.cross, "A,B",
                                    "Labels of two locks of the sweep: find where they cross");
  option("--metric", arguments.metric, "PATH", "The metric to compare [goodput_ops_s]");
  CLI::Option* const passes = option("--passes", arguments.passes, "VALUE",
                                     "Find where the metric passes this value, such as 4M or 50us");
  passes->excludes(cross);
  option("--of", arguments.of, "LABEL", "With --passes: the label of the lock of the sweep")
      ->needs(passes);
  option("--precision", arguments.precision, "RATIO",
         "Width of the answer, as a share of the axis's value; neighbouring counts suffice [2%]");
}

}  // namespace

void add_find(Cli& cli) {
  const auto arguments = tool::arguments<FindArguments>();
  CLI::App& command =
      cli.add("find", "Find where two locks cross, or where a metric passes a value",
              [arguments] { return find(*arguments); });
  add_scenario_options(command, arguments->input);
  add_question(command, *arguments);
  command
      .add_option("--out", arguments->out,
                  "Directory for results; must not exist [results/NAME-find-N, the first free N]")
      ->type_name("DIR");
  add_jobs(command, arguments->jobs, "Points");
  command.add_flag("--resume", arguments->resume,
                   "Continue an interrupted search: in --out, or else in its newest directory");
  command.add_flag("--json", arguments->json, "Print find.json on stdout and nothing else");
  command.add_flag("--quiet", arguments->quiet, "Print no progress and no table, only the answer");
  cli.take_plugins(command);
  command.footer(std::string(kAboutFind) + "\n" + kExitCodes);
}

}  // namespace latchlab::tool
