
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/conclude/emulation.h"
#include "core/conclude/output.h"
#include "core/conclude/stored_study.h"
#include "core/protocols/registry.h"
#include "core/run/files.h"
#include "core/run/point_files.h"
#include "core/scenario/advice.h"
#include "models/measured/benchmarks.h"
#include "models/measured/probe.h"
#include "tools/latchlab/calibrate.h"
#include "tools/latchlab/estimate.h"
#ifdef LATCHLAB_WITH_IBVERBS
#include "core/launch/mpi.h"
#endif

namespace latchlab::tool {

namespace {

Result<Scenario> scenario_of(const MeasureOptions& options, const DataDirs& data) {
  return parse_scenario({measuring_scenario(options), "the benchmarks", "."}, {}, protocol_infos(),
                        data);
}

// Why the number of threads prevents a valid measurement of the point; empty: it does not.
std::string wrong_threads(const Point& point, const HardwareArguments& hardware) {
  if (point.platform.cores == 1 && hardware.workers != 1)
    return "it is of clients on one core: measure it by itself with --workers 1";
  if (point.platform.server_cpu.cores && hardware.server_workers != 1)
    return "it is of one core of a server: measure it with --server-workers 1";
  return {};
}

// Excludes points that hardware rejects or for which software would emulate the NIC.
void leave_out(const Scenario& scenario, const HardwareArguments& hardware,
               const RunBackend* backend, MeasureOptions& options) {
  std::map<std::string, std::string> labels;  // by reason
  for (const Point& point : scenario.points) {
    const std::string& label = point.protocol.label;
    std::string why = wrong_threads(point, hardware);
    if (const HardwareAdvice advice = hardware_advice(point); !advice.errors.empty())
      why = advice.errors.front();
    const std::string mine = " (" + label + ")";
    if (backend != nullptr)
      for (const auto* lines : {&backend->emulated, &backend->refused})
        for (const std::string& line : *lines)
          if (line.ends_with(mine) && !is_of_the_rnic(line))
            why = "the device does not do it: " + line.substr(0, line.size() - mine.size());
    if (why.empty() || !options.not_here.insert(label).second) continue;
    std::string& all = labels[why];
    all += (all.empty() ? "" : ", ") + label;
  }
  for (const auto& [why, all] : labels)
    fmt::print(stderr, "latchlab: left out: {}: {}\n", all, why);
}

RunArguments run_arguments(const MeasureArguments& arguments) {
  RunArguments run;
  run.backend = arguments.backend;
  run.hardware = arguments.hardware;
  run.input.data = arguments.common.data;
  run.jobs = arguments.common.jobs;
  run.quiet = arguments.common.quiet;
  run.out = arguments.measurements;
  run.resume = arguments.resume;
  return run;
}

Result<ResultsDirectory> open_directory(const MeasureArguments& arguments) {
  constexpr const char* kName = "calibrate";
  return arguments.resume ? reopen_results_directory(arguments.measurements, kName, "scenario.yaml")
                          : claim_results_directory(arguments.measurements, kName);
}

bool all_started_here(const HardwareArguments& hardware) {
#ifdef LATCHLAB_WITH_IBVERBS
  if (launch::started_by_mpi()) return false;
#endif
  return hardware.rendezvous.empty();
}

// Prints a line when a benchmark ends.
class BenchmarkLines {
 public:
  BenchmarkLines(const Scenario& scenario, bool talks) : scenario_(scenario), talks_(talks) {}
  void show(const StudyProgress& at) {
    if (!talks_) return;
    std::size_t before = 0;
    for (const Point& point : scenario_.points) {
      before += point.run.repeats;
      if (before > at.done) break;
      if (before <= told_) continue;
      told_ = before;
      fmt::print(stderr, "{:4} of {} runs: {}\n", at.done, at.all, point.protocol.label);
    }
  }

 private:
  const Scenario& scenario_;
  bool talks_;
  std::size_t told_ = 0;
};

Result<Measuring> run_benchmarks(const MeasureArguments& arguments, const Scenario& scenario,
                                 const RunBackend& backend) {
  auto directory = open_directory(arguments);
  if (!directory) return directory.error();
  Measuring measuring{scenario, {}, manifest_of(backend), directory.value().path};
  auto files = PointFiles::open(measuring.directory, measuring.manifest, maker_of(backend));
  if (!files) return files.error();
  if (arguments.resume)
    if (const Status adopted = files.value().adopt(scenario); !adopted) return adopted.error();
  if (const Status written =
          write_atomically(measuring.directory + "/scenario.yaml", scenario.resolved_yaml);
      !written)
    return written.error();
  if (backend.runner && all_started_here(arguments.hardware))
    if (const Status written = write_atomically(measuring.directory + "/" + kOneMachine,
                                                "All nodes were processes of one machine.\n");
        !written)
      return written.error();
  StudyOptions options;
  options.jobs = backend.runner ? 1 : arguments.common.jobs > 0 ? arguments.common.jobs : cores();
  options.runner = backend.runner;
  options.files = &files.value();
  BenchmarkLines lines(scenario, !arguments.common.quiet);
  options.progress = [&](const StudyProgress& at) { lines.show(at); };
  measuring.outcome = run_study(scenario, options, backend.make);
  if (const Status written = write_study(measuring.directory, scenario, measuring.outcome,
                                         measuring.manifest, options.jobs);
      !written)
    return written.error();
  return measuring;
}

// The measurements, or the exit code if there are none.
struct Attempt {
  std::optional<Measuring> measuring;
  int code = kFine;
};

Attempt measure(const MeasureArguments& arguments) {
  const DataDirs data = data_dirs(arguments.common.data);
  const bool on_hardware = arguments.backend == "ibverbs";
  MeasureOptions options;
  options.nic = arguments.nic;
  options.without = {arguments.without.begin(), arguments.without.end()};
  options.repeats = arguments.repeats;
  options.seed = arguments.seed;
  options.quick = arguments.quick;
  options.spans = on_hardware ? kHardwareSpans : 1;
  const RunArguments run = run_arguments(arguments);
  if (const Status usable = check_backend_options(run); !usable)
    return {{}, complain(usable.error())};
  auto scenario = scenario_of(options, data);
  if (!scenario) return {{}, complain(scenario.error())};
  if (on_hardware) {
    leave_out(scenario.value(), arguments.hardware, nullptr, options);
    scenario = scenario_of(options, data);
    if (!scenario) return {{}, complain(scenario.error())};
  }
  auto backend = run_backend(run, {&scenario.value()});
  if (!backend) return {{}, complain(backend.error(), kCannot)};
  if (backend.value().over) return {{}, *backend.value().over};
  if (on_hardware) {
    leave_out(scenario.value(), arguments.hardware, &backend.value(), options);
    scenario = scenario_of(options, data);
    if (!scenario) return {{}, complain(scenario.error())};
  }
  for (const std::string& device : backend.value().software)
    fmt::print(
        stderr,
        "latchlab: warning: {}: what is measured describes this machine's CPU, and no RNIC\n",
        device);
  auto measuring = run_benchmarks(arguments, scenario.value(), backend.value());
  if (!measuring) return {{}, complain(measuring.error())};
  const StudyOutcome& outcome = measuring.value().outcome;
  if (!outcome.interrupted) return {std::move(measuring).value(), kFine};
  const std::string& directory = measuring.value().directory;
  fmt::print(stderr,
             "latchlab: interrupted; what was finished is in {0}\n"
             "  latchlab calibrate --from {0}   fits what is there\n"
             "  the same command with --measurements {0} --resume goes on\n",
             directory);
  return {{}, kInterrupted};
}

}  // namespace

int measure_nic(const MeasureArguments& arguments) {
  if (const Status known = register_verb_probe(); !known) return complain(known.error());
  if (arguments.common.json)
    return complain(
        {"--json: only of a fit to published values; a measurement writes results.json "
         "and a description: leave it out",
         {}});
  for (const std::string& name : arguments.without)
    if (const auto all = benchmark_names(); std::find(all.begin(), all.end(), name) == all.end())
      return complain({fmt::format("--without {}: there is no such benchmark; latchlab calibrate "
                                   "--help lists them",
                                   name),
                       {}});
  if (arguments.from.empty()) {
    const Attempt measured = measure(arguments);
    return measured.measuring ? tell(arguments, {*measured.measuring}) : measured.code;
  }
  std::vector<Measuring> all;
  for (const std::string& directory : arguments.from) {
    auto stored = load_stored_study(directory, protocol_infos(), data_dirs(arguments.common.data));
    if (!stored) return complain(stored.error());
    if (!all.empty() && stored.value().manifest.backend != all.front().manifest.backend)
      return complain({fmt::format("--from {}: measured on {}, and {} on {}", directory,
                                   stored.value().manifest.backend, all.front().directory,
                                   all.front().manifest.backend),
                       {}});
    all.push_back({std::move(stored.value().scenario), std::move(stored.value().outcome),
                   std::move(stored.value().manifest), directory});
  }
  return tell(arguments, all);
}

}  // namespace latchlab::tool
