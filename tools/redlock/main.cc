// latchlab-redlock: the help text in arguments.cc describes it.

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/conclude/emulation.h"
#include "core/conclude/output.h"
#include "core/conclude/verdict.h"
#include "core/measure/leaves.h"
#include "core/protocols/registry.h"
#include "core/run/files.h"
#include "core/run/point_files.h"
#include "core/run/study.h"
#include "tools/latchlab/load.h"
#include "tools/redlock/arguments.h"
#include "tools/redlock/on_rnics.h"

namespace latchlab::bank {
namespace {

int complain(const Error& error, int code) {
  fmt::print(stderr, "latchlab-redlock: {}\n", error.text());
  return code;
}

bool runs_on_rnics(const Setting& setting, const Scenario& scenario) {
  return !setting.no_lock && std::any_of(scenario.points.begin(), scenario.points.end(),
                                         [](const Point& point) { return !is_redlock(point); });
}

// Checks that Redis starts and that the devices are usable, before anything is written.
Result<RunManifest> find_what_it_takes(const Setting& setting, const Scenario& scenario) {
  const auto tried = Servers::start(setting.redis);
  if (!tried) return tried.error();
  RunManifest manifest;
  manifest.version = LATCHLAB_VERSION;
  manifest.backend = fmt::format("a real Redis {}, {} on loopback", tried.value().version(),
                                 tried.value().count());
  if (!runs_on_rnics(setting, scenario)) return manifest;
  if (std::string why = why_no_rnics(); !why.empty()) return Error{std::move(why), {}};
  manifest.backend += "; ibverbs on " + rnic_name(setting.device);
  if (std::string why = rnic_software(setting.device); !why.empty())
    manifest.software.push_back(rnic_name(setting.device) + " is " + why);
  for (const Point& point : scenario.points) {
    if (is_redlock(point)) continue;
    for (std::string& line : emulated_for(point, setting))
      manifest.emulated.push_back(std::move(line));
  }
  return manifest;
}

void print_table(const Scenario& scenario, const StudyOutcome& outcome) {
  fmt::print("{:<24}{:>8}{:>15}{:>11}{:>11}{:>11}{:>11}{:>9}{:>7}  {}\n", "lock", "clients",
             "transactions/s", "txn p50", "txn p99", "lock p50", "lock p99", "aborted", "over",
             "verdict");
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    const Leaves metrics = outcome.points[i].metrics();
    const auto value = [&](const char* path, double scale) {
      const auto found = number_at(metrics, path);
      return found ? fmt::format("{:.0f}", *found * scale) : "-";
    };
    fmt::print("{:<24}{:>8}{:>15}{:>11}{:>11}{:>11}{:>11}{:>9}{:>7}  {}\n",
               scenario.points[i].protocol.label, scenario.points[i].platform.clients(),
               value("goodput_ops_s", 1), value("cycle_ns.p50", 1e-3), value("cycle_ns.p99", 1e-3),
               value("acquire_ns.p50", 1e-3), value("acquire_ns.p99", 1e-3),
               value("aborted_acquisitions", 1), value("safety.expired_holds", 1),
               verdict(outcome.points[i]));
  }
  fmt::print(
      "(p50, p99 in us, of transactions and of single locks; over: grants that ended before "
      "their transaction had written)\n");
}

int exit_code(const StudyOutcome& outcome) {
  if (outcome.interrupted && !outcome.cannot_write) return tool::kInterrupted;
  RepeatStatus worst = RepeatStatus::ok;
  for (const PointOutcome& point : outcome.points) worst = std::max(worst, point.status());
  if (worst == RepeatStatus::unavailable || outcome.cannot_write) return tool::kCannot;
  return worst > RepeatStatus::unavailable ? tool::kBroken : tool::kFine;
}

StudyOutcome run_points(const Arguments& arguments, const Scenario& scenario,
                        const PointFiles* files) {
  StudyOptions options;
  options.files = files;
  options.runner = [&arguments](const Scenario& of, std::size_t point, std::uint32_t repeat,
                                const StopAsked& stop) {
    return run_bank(of.points[point], repeat, arguments.setting, stop);
  };
  return run_study(scenario, options, {});
}

int tell(const Arguments& arguments, const Scenario& scenario, const StudyOutcome& outcome,
         const RunManifest& manifest) {
  for (std::size_t i = 0; i < outcome.points.size(); ++i)
    if (const std::string why = outcome.points[i].message(); !why.empty())
      fmt::print(stderr, "latchlab-redlock: {}: {}: {}\n", scenario.points[i].protocol.label,
                 name_of(outcome.points[i].status()), why);
  if (outcome.cannot_write)
    fmt::print(stderr, "latchlab-redlock: {}\n", outcome.cannot_write->text());
  if (arguments.json) fmt::print("{}", results_json(scenario, outcome, manifest));
  if (!arguments.json && !arguments.quiet) print_table(scenario, outcome);
  return exit_code(outcome);
}

int run(const Arguments& arguments) {
  auto loaded = parse_scenario({scenario_text(arguments), "the command line", "."}, {},
                               protocol_infos(), tool::data_dirs(arguments.data));
  if (!loaded) return complain(loaded.error(), tool::kBadInput);
  const Scenario& scenario = loaded.value();
  if (Status possible = check_points(arguments, scenario); !possible)
    return complain(possible.error(), tool::kBadInput);
  const auto manifest = find_what_it_takes(arguments.setting, scenario);
  if (!manifest) return complain(manifest.error(), tool::kCannot);
  if (arguments.setting.no_lock)
    return tell(arguments, scenario, run_points(arguments, scenario, nullptr), manifest.value());

  if (!arguments.out.empty() && !check_results_directory(arguments.out))
    return complain({"there is something already, and results are never overwritten; choose "
                     "another --out",
                     arguments.out},
                    tool::kBadInput);
  const auto claimed = claim_results_directory(arguments.out, scenario.name);
  if (!claimed) return complain(claimed.error(), tool::kBadInput);
  const std::string& directory = claimed.value().path;
  const auto files = PointFiles::open(directory, manifest.value(), "latchlab-redlock");
  if (!files) return complain(files.error(), tool::kCannot);
  Status written = write_atomically(directory + "/scenario.yaml", scenario.resolved_yaml);
  if (!written) return complain(written.error(), tool::kCannot);
  StudyOutcome outcome = run_points(arguments, scenario, &files.value());
  mark_emulated(scenario, manifest.value(), outcome);
  written = write_study(directory, scenario, outcome, manifest.value(), 1);
  const int code = tell(arguments, scenario, outcome, manifest.value());
  if (!written) return complain(written.error(), tool::kCannot);
  if (!arguments.json && !arguments.quiet)
    fmt::print("\nResults: {}\nA page: latchlab report {}\n", directory, directory);
  return code;
}

}  // namespace
}  // namespace latchlab::bank

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);  // a Redis server that ends is then an error of a command
  const auto arguments =
      latchlab::bank::parse_arguments(std::vector<std::string>(argv + 1, argv + argc));
  if (!arguments) {
    fmt::print(stderr, "latchlab-redlock: {}\nSee: latchlab-redlock --help\n",
               arguments.error().text());
    return latchlab::tool::kBadInput;
  }
  if (arguments.value().help) {
    fmt::print("{}", latchlab::bank::help_text());
    return latchlab::tool::kFine;
  }
  return latchlab::bank::run(arguments.value());
}
