#include "tools/latchlab/run.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/conclude/conclusion.h"
#include "core/conclude/emulation.h"
#include "core/conclude/output.h"
#include "core/conclude/sensitivity.h"
#include "core/conclude/values.h"
#include "core/run/files.h"
#include "core/run/point_files.h"
#include "core/run/study.h"
#include "tools/export/worst_acquisition.h"
#include "tools/latchlab/backends.h"
#include "tools/latchlab/check.h"
#include "tools/latchlab/command_line.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/sensitivity.h"
#include "tools/latchlab/table.h"
#include "tools/report/report.h"

namespace latchlab::tool {

namespace {

namespace fs = std::filesystem;

// `stored`: number of repeats whose results exist already. Hardware runs one repeat at a time.
void announce(const Scenario& scenario, std::size_t most_at_once, double seconds,
              std::size_t stored, bool on_hardware) {
  for (const Warning& warning : scenario.warnings)
    fmt::print(stderr, "latchlab: warning: {}\n", warning.text);
  for (const std::string& line : describe_hosts(scenario)) fmt::print(stderr, "{}\n", line);
  const std::size_t left = repeats_of(scenario) - stored;
  if (stored > 0)
    fmt::print(stderr, "{}: {} of {} are there already\n", scenario.name, stored,
               counted(repeats_of(scenario), "run"));
  if (seconds < kWorthSaying) return;
  const std::string what = fmt::format(
      "{}: {}, {}", scenario.name, counted(scenario.points.size(), "point"), counted(left, "run"));
  const std::size_t jobs = std::min(most_at_once, left);
  if (on_hardware)
    fmt::print(stderr, "{}: {}\n", what, rough_time(seconds));
  else
    fmt::print(stderr, "{}, {} at once: {} and {:.0f} MiB\n", what, jobs, rough_time(seconds),
               estimate_mib(scenario) * static_cast<double>(jobs));
}

int exit_code(const Scenario& scenario, const StudyOutcome& outcome) {
  if (outcome.cannot_write) return kCannot;
  if (outcome.interrupted) return kInterrupted;
  RepeatStatus worst = RepeatStatus::ok;
  for (std::size_t i = 0; i < outcome.points.size(); ++i)
    if (!why_known(scenario.points[i], outcome.points[i]))
      worst = std::max(worst, outcome.points[i].status());
  if (worst == RepeatStatus::unavailable) return kCannot;
  return worst > RepeatStatus::unavailable ? kBroken : kFine;
}

void print_outcome(const Scenario& scenario, const StudyOutcome& outcome, const StudyScore& score) {
  fmt::print("{}", table(scenario, outcome));
  if (const std::string says = conclusion(scenario, outcome); !says.empty())
    fmt::print("\n{}\n", says);
  if (!score.figures.empty())
    fmt::print("\n{}{}", figure_table(scenario, score), score_lines(score.scores));
}

Status tell_traces(const std::string& directory, const exporting::TracePlan& plan, bool talks) {
  const auto lines = exporting::describe_traces(directory, plan);
  if (!lines) return lines.error();
  if (!talks || plan.empty()) return fine();
  for (const std::string& line : lines.value()) fmt::print("Trace: {}\n", line);
  fmt::print(
      "Open a trace at https://ui.perfetto.dev or in chrome://tracing; see docs/export.md\n");
  return fine();
}

// The directory of a run, locked by this process.
struct OpenRun {
  ResultsDirectory directory;
  PointFiles files;
};

Result<OpenRun> open_run(const RunArguments& arguments, const Scenario& scenario,
                         const RunBackend& backend, const RunManifest& manifest) {
  auto directory = arguments.resume
                       ? reopen_results_directory(arguments.out, scenario.name, "scenario.yaml")
                       : claim_results_directory(arguments.out, scenario.name);
  if (!directory) return directory.error();
  // The key keeps repeats of a quick run apart from those of a full run.
  const std::string maker = maker_of(backend) + (manifest.quick.empty() ? "" : " quick");
  auto files = PointFiles::open(directory.value().path, manifest, maker);
  if (!files) return files.error();
  if (arguments.resume)
    if (const Status adopted = files.value().adopt(scenario); !adopted) return adopted.error();
  return OpenRun{std::move(directory).value(), std::move(files).value()};
}

struct Ahead {
  std::size_t stored = 0;  // repeats that need not run
  double seconds = 0;      // total time of the repeats that must run
};

using Estimate = double (*)(const Point&);  // seconds of one repeat

Ahead ahead_of(const Scenario& scenario, const PointFiles& files, Estimate estimate) {
  Ahead ahead;
  const std::vector<std::size_t> first = same_runs(scenario);
  for (std::size_t p = 0; p < first.size(); ++p)
    for (std::uint32_t r = 0; r < scenario.points[p].run.repeats; ++r) {
      const Point& point = scenario.points[p];
      if (files.find(point, r))
        ++ahead.stored;
      else if (first[p] == p)
        ahead.seconds += estimate(point);
    }
  return ahead;
}

StudyOutcome run_in(OpenRun& opened, const Scenario& scenario, std::uint32_t jobs, bool talks,
                    const RunBackend& backend, TraceHookFactory hook) {
  for (const std::string& warning : opened.files.warnings())
    fmt::print(stderr, "latchlab: warning: {}\n", warning);
  const bool on_hardware = static_cast<bool>(backend.runner);
  const Estimate estimate = on_hardware ? Estimate(run_seconds) : Estimate(estimate_seconds);
  const Ahead ahead = ahead_of(scenario, opened.files, estimate);
  const double seconds =
      ahead.seconds / static_cast<double>(std::min<std::size_t>(jobs, repeats_of(scenario)));
  if (talks) announce(scenario, jobs, seconds, ahead.stored, on_hardware);
  Progress progress(talks && isatty(STDERR_FILENO) != 0, seconds);
  const PointLines lines(scenario, opened.files, talks);
  StudyOptions options;
  options.jobs = jobs;
  options.runner = backend.runner;
  options.files = &opened.files;
  options.hook = std::move(hook);
  options.work = estimate;
  options.progress = [&](const StudyProgress& at) { progress.show(at); };
  return run_study(scenario, options, backend.make);
}

void tell_how_to_go_on(const StudyOutcome& outcome, const RunArguments& arguments,
                       const std::string& directory) {
  if (outcome.cannot_write) fmt::print(stderr, "latchlab: {}\n", outcome.cannot_write->text());
  fmt::print(stderr,
             "latchlab: {}; what was finished is in {}, and --resume goes on with it:\n  {}\n",
             outcome.cannot_write ? "stopped" : "interrupted", directory,
             arguments.part_of.empty() ? resume_command(arguments, directory) : arguments.part_of);
}

}  // namespace

Ran run_one(const RunArguments& arguments, const Scenario& scenario, const RunBackend& backend) {
  auto traces = exporting::plan_traces(scenario, arguments.trace);
  if (!traces) return {complain(traces.error()), {}};
  if (!backend.runner && !arguments.beyond_memory)
    if (const Status fits = check_memory(scenario); !fits)
      return {complain(fits.error(), kCannot), {}};
  RunManifest manifest = manifest_of(backend);
  manifest.quick = arguments.quick;
  auto opened = open_run(arguments, scenario, backend, manifest);
  if (!opened) return {complain(opened.error()), {}};
  const std::string& directory = opened.value().directory.path;
  // Written first, because finished repeats cannot be read without the scenario.
  if (const Status written = write_atomically(directory + "/scenario.yaml", scenario.resolved_yaml);
      !written)
    return {complain(written.error(), kCannot), {}};
  if (const std::string hosts = hosts_csv(scenario); !hosts.empty())
    if (const Status written = write_atomically(directory + "/hosts.csv", hosts); !written)
      return {complain(written.error(), kCannot), {}};
  if (const Status placed = exporting::place_worst(directory, scenario, arguments.trace,
                                                   backend.make, traces.value());
      !placed)
    return {complain(placed.error(), kCannot), {}};
  auto tracing = exporting::tracing_into(directory, scenario, traces.value());
  if (!tracing) return {complain(tracing.error(), kCannot), {}};

  const bool talks = !arguments.quiet && !arguments.json;
  // Hardware runs are exclusive; simulations are limited by cores and memory.
  const double fitting = std::max(1.0, physical_mib() / estimate_mib(scenario));
  const std::uint32_t jobs = backend.runner       ? 1
                             : arguments.jobs > 0 ? arguments.jobs
                             : fitting < cores()  ? static_cast<std::uint32_t>(fitting)
                                                  : cores();
  check_context().scenario = scenario.file;
  check_context().replay_command = command_line(arguments);
  StudyOutcome outcome =
      run_in(opened.value(), scenario, jobs, talks, backend, std::move(tracing).value());
  mark_emulated(scenario, manifest, outcome);
  const Status written = write_study(directory, scenario, outcome, manifest, jobs);
  report_problems(scenario, outcome, !arguments.quiet);
  if (talks) report_warnings(scenario, outcome);
  if (arguments.json) fmt::print("{}", results_json(scenario, outcome, manifest));
  Ran ran{exit_code(scenario, outcome), score_study(scenario, outcome)};
  if (talks) print_outcome(scenario, outcome, ran.score);
  if (outcome.interrupted) tell_how_to_go_on(outcome, arguments, directory);
  if (arguments.sensitivity && !outcome.interrupted) {
    const auto asked =
        ask_sensitivity({directory, backend, manifest, maker_of(backend), jobs, talks,
                         /*numbers=*/!arguments.part_of.empty()},
                        scenario, outcome);
    if (!asked) return {complain(asked.error(), kCannot), std::move(ran.score)};
    if (!asked.value()) ran.code = kInterrupted;
    if (!asked.value()) tell_how_to_go_on(outcome, arguments, directory);
  }
  if (talks) fmt::print("\nResults: {}\n", directory);
  if (!written) return {complain(written.error(), kCannot), std::move(ran.score)};
  if (!outcome.interrupted) {
    const Status told = tell_traces(directory, traces.value(), talks);
    if (!told) return {complain(told.error(), kCannot), std::move(ran.score)};
  }
  const std::string page = directory + "/report.html";
  const auto hangs_on = stored_sensitivity(directory, outcome);
  if (!hangs_on) return {complain(hangs_on.error(), kCannot), std::move(ran.score)};
  ReportPart part = part_of(directory, scenario, outcome, manifest);
  part.sensitivity = hangs_on.value();
  const Status paged = write_report(page, {std::move(part)});
  if (!paged)
    fmt::print(stderr, "latchlab: warning: the results are complete, but for the page: {}\n",
               paged.error().text());
  else if (talks)
    fmt::print("Report: {}\n", page);
  const std::string missed = missed_lines(scenario, ran.score, arguments.strict);
  if (missed.empty() || outcome.interrupted) return ran;
  fmt::print(stderr, "{}", missed);
  ran.code = std::max(ran.code, kBroken);
  return ran;
}

int run(const RunArguments& arguments) {
  if (const Status usable = check_backend_options(arguments); !usable)
    return complain(usable.error());
  auto loaded = load(arguments.input);
  if (!loaded) return complain(loaded.error());
  auto backend = run_backend(arguments, {&loaded.value()});
  if (!backend) return complain(backend.error(), kCannot);
  if (backend.value().over) return *backend.value().over;
  if (const auto& refused = backend.value().refused; !refused.empty())
    return complain({refused.front(), loaded.value().file}, kCannot);
  if (!backend.value().runner)
    for (std::string& warning : lone_client_warnings(loaded.value()))
      loaded.value().warn({WarningKind::never_granted, std::move(warning)});
  return run_one(arguments, loaded.value(), backend.value()).code;
}

}  // namespace latchlab::tool
