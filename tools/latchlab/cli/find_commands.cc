#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

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

void add_find_commands(Cli& cli) {
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
