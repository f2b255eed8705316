#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

namespace {

constexpr const char* kAboutFind =
    "Where, along one axis of a scenario, two locks cross, or a metric passes a value:\n\n"
    "  latchlab find quickstart --cross mcs,CAS-B --along platform.clients_per_node=1..48\n"
    "  latchlab find quickstart --metric acquire_ns.p99 --passes 100us --of mcs \\\n"
    "      --along platform.clients_per_node=1..48\n\n"
    "Five values come first, at equal factors for counts and times, at equal steps for ratios.\n"
    "Between neighbours with different winners the way is halved, until it is narrower than\n"
    "--precision or the winner is undecided: each value is decided as latchlab\n"
    "compare does, by three repeats or more. Points that broke a promise, have not settled, "
    "starve\n"
    "clients or do not carry their load decide nothing. The answer is the way between the last two "
    "values that were decided. An axis may be\n"
    "any number: a key of the scenario (docs/scenario-reference.md), platform.nic.KEY, or\n"
    "protocol.PARAMETER. What else the scenario sweeps has to be set to one value.\n\n"
    "DIR holds a run like any other, for latchlab report, compare and export, and find.json.\n";

void add_question(CLI::App& command, FindArguments& arguments) {
  const auto option = [&](const char* name, std::string& value, const char* type,
                          const char* help) {
    return command.add_option(name, value, help)->type_name(type);
  };
  option("--along", arguments.along, "PATH=LOW..HIGH", "The axis, and the ends of the search")
      ->required();
  CLI::Option* const cross = option("--cross", arguments.cross, "A,B",
                                    "Two locks of the sweep by their labels: where do they cross?");
  option("--metric", arguments.metric, "PATH", "What is compared [goodput_ops_s]");
  CLI::Option* const passes = option("--passes", arguments.passes, "VALUE",
                                     "Where does the metric pass this value, such as 4M or 50us?");
  passes->excludes(cross);
  option("--of", arguments.of, "LABEL", "Of which lock of the sweep, with --passes")->needs(passes);
  option("--precision", arguments.precision, "RATIO",
         "How narrow the answer has to be, as a share of the axis's value; of counts neighbours "
         "will do [2%]");
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
                  "Where results go; must not exist [results/NAME-find-N, the first free N]")
      ->type_name("DIR");
  add_jobs(command, arguments->jobs, "Points");
  command.add_flag("--resume", arguments->resume,
                   "Go on with a search that was cut short: in --out, or else in its newest "
                   "directory");
  command.add_flag("--json", arguments->json, "Print find.json on stdout and nothing else");
  command.add_flag("--quiet", arguments->quiet, "No progress, no table: the answer alone");
  cli.take_plugins(command);
  command.footer(std::string(kAboutFind) + "\n" + kExitCodes);
}

}  // namespace latchlab::tool
