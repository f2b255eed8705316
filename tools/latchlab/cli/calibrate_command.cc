#include "core/scenario/suggestions.h"
#include "models/measured/benchmarks.h"
#include "tools/latchlab/calibrate.h"
#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

namespace {

std::string about_measuring() {
  std::string text =
      "Without --backend and --from: fits constants to published values, models/fits/FIT.\n\n"
      "With one of them: runs microbenchmarks (verb_probe: one coroutine, on any backend), fits a "
      "NIC's constants to them, prints constants, intervals and residuals, and writes a "
      "description "
      "for models/nics. It leaves out constants that the data do not determine, and says why. It "
      "needs five nodes: a server and four client nodes. docs/models.md states which benchmark "
      "determines which constants.\n"
      "  latchlab calibrate --backend simgrid --nic connectx-6     a test without a device\n"
      "  latchlab calibrate --backend ibverbs --rendezvous a:7777  on machines, each with "
      "latchlab node\n"
      "  latchlab calibrate --from results/calibrate-1 --out my-nic.yaml\n\n"
      "Benchmarks:\n";
  for (const Benchmark& benchmark : benchmarks())
    text += "  " + benchmark.name + std::string(22 - benchmark.name.size(), ' ') + benchmark.what +
            (benchmark.slow ? " (not with --quick)" : "") + "\n";
  return text + "\n" + kExitCodes;
}

void add_measuring(CLI::App& command, MeasureArguments& arguments) {
  const char* const group = "Measuring a NIC";
  const auto option = [&](const char* name, auto& value, const char* says, const char* type) {
    return command.add_option(name, value, says)->type_name(type)->group(group);
  };
  option("--backend", arguments.backend, "Run the microbenchmarks on this backend", "NAME")
      ->check(CLI::IsMember({"simgrid", "ibverbs"}));
  option("--from", arguments.from,
         "Measure nothing: fit the measurements of one or more earlier calls", "DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  option("--nic", arguments.nic, "With simgrid: the NIC to simulate", "NIC")->capture_default_str();
  option("--without", arguments.without,
         "Leave out a benchmark, or with --from its measurements (repeatable)", "BENCHMARK")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--quick", arguments.quick, "Leave out the longest benchmarks")->group(group);
  option("--repeats", arguments.repeats,
         "Runs of each point, from which the confidence intervals are computed", "N")
      ->check(whole_number(3, 1'000))
      ->capture_default_str();
  option("--seed", arguments.seed, "Seed of the runs", "N")
      ->check(whole_number(0, kMostSeed))
      ->capture_default_str();
  option("--measurements", arguments.measurements,
         "Directory for measurements; must not exist [results/calibrate-N]", "DIR");
  command
      .add_flag("--resume", arguments.resume,
                "Continue interrupted measurements, in --measurements or the newest directory")
      ->group(group);
  option("--name", arguments.name, "Name of the description [the device's name]", "NAME");
  option("--base", arguments.base,
         "Take constants that the data do not determine from this NIC, marked as assumed", "NIC");
  add_hardware_run(command, arguments.hardware);
}

// The first option that is given and not among these; empty: none.
std::string given_besides(const CLI::App& command, const std::vector<std::string>& these) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !contains(these, option->get_name())) return option->get_name();
  return {};
}

int refuse(const std::string& option, const char* why) {
  return complain({option + ": " + why, {}});
}

// An option that would be ignored is refused.
int calibrate_or_measure(const CLI::App& command, const MeasureArguments& arguments) {
  const bool fits_published = arguments.backend.empty() && arguments.from.empty();
  if (!fits_published && command.count("fit") > 0)
    return refuse(arguments.common.fit,
                  "a fit to published values; leave it out, or leave out --backend and --from");
  if (!arguments.from.empty()) {
    const std::string option = given_besides(command, {"--from", "--without", "--name", "--base",
                                                       "--out", "--data", "--json", "--quiet"});
    if (!option.empty()) return refuse(option, "--from measures nothing; leave one of them out");
  }
  if (!fits_published) return measure_nic(arguments);
  const std::string option =
      given_besides(command, {"fit", "--out", "--jobs", "--data", "--json", "--quiet"});
  if (option.empty()) return calibrate(arguments.common);
  return refuse(option,
                "only of a NIC that is measured; add --backend simgrid or ibverbs, or leave it "
                "out");
}

}  // namespace

void add_calibrate(Cli& cli) {
  const auto arguments = tool::arguments<MeasureArguments>();
  const auto itself = std::make_shared<const CLI::App*>();
  CLI::App& command =
      cli.add("calibrate", "Fit a NIC's constants to published or new measurements",
              [arguments, itself] { return calibrate_or_measure(**itself, *arguments); });
  *itself = &command;
  command.add_option("fit", arguments->common.fit, "A file, or a name under models/fits/")
      ->capture_default_str();
  command
      .add_option("--out", arguments->common.out,
                  "Write the page OUT/FIT.md instead of printing it; with measurements: write the "
                  "description to the file OUT [NAME.yaml beside the measurements]")
      ->type_name("OUT");
  add_jobs(command, arguments->common.jobs, "Simulations");
  add_data(command, arguments->common.data);
  command.add_flag("--json", arguments->common.json,
                   "Print one JSON document on stdout and nothing else");
  command.add_flag("--quiet", arguments->common.quiet, "Print no progress");
  add_measuring(command, *arguments);
  command.footer(about_measuring());
}

}  // namespace latchlab::tool
