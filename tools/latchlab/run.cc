#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "core/runner/output.h"
#include "core/runner/study.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/run_one.h"
#include "tools/latchlab/score_table.h"
#include "tools/latchlab/table.h"
#include "tools/report/report.h"

namespace latchlab::tool {

namespace {

// One simulated verb takes about this long on one core; a cycle of a client takes at least one
// round trip of a microsecond or two. Good to a factor of three, which is what a person wants to
// know before a long run.
constexpr double kVerbSeconds = 0.5e-6;
constexpr double kRoundTripSeconds = 2e-6;
constexpr double kWorthSaying = 2.0;
// The same for memory.
constexpr double kProgramBytes = 32 << 20;
constexpr double kClientBytes = 8 << 10;
constexpr double kTouchedBytes = 64;  // of the lock table, per verb

double estimate_verbs(const Point& point) {
  const double pause = kRoundTripSeconds +
                       (point.workload.think_time + point.workload.critical_section).seconds() / 2;
  const double per_second = std::min(point.platform.clients() / pause, 30e6);
  return per_second * (point.run.warmup + point.run.duration).seconds();
}

double estimate_seconds(const Scenario& scenario) {
  double total = 0;
  for (const Point& point : scenario.points)
    total += estimate_verbs(point) * kVerbSeconds * point.run.repeats;
  return total;
}

// Of the largest point: the program, its clients, and the pages of the lock table that are touched.
double estimate_mib(const Scenario& scenario) {
  double most = 0;
  for (const Point& point : scenario.points) {
    const double stride = static_cast<double>(std::max<std::uint64_t>(point.locks.stride_bytes, 8));
    const double table = static_cast<double>(point.locks.count) * stride;
    const double touched = std::min(table, estimate_verbs(point) * kTouchedBytes);
    most = std::max(most, kProgramBytes + point.platform.clients() * kClientBytes + touched);
  }
  return most / (1024 * 1024);
}

std::size_t repeats_of(const Scenario& scenario) {
  std::size_t all = 0;
  for (const Point& point : scenario.points) all += point.run.repeats;
  return all;
}

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// A line that overwrites itself, for people who have been waiting for a while.
class Progress {
 public:
  explicit Progress(bool shown) : shown_(shown), started_(std::chrono::steady_clock::now()) {}
  void show(std::size_t done, std::size_t all) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    if (!shown_ || spent.count() < kWorthSaying) return;
    const double left = spent.count() / static_cast<double>(done) * static_cast<double>(all - done);
    fmt::print(stderr, "\r{:<40}", fmt::format("{}/{} runs, about {:.0f} s left", done, all, left));
    std::fflush(stderr);
    visible_ = true;
  }
  void clear() {
    if (visible_) fmt::print(stderr, "\r{:40}\r", "");
    visible_ = false;
  }

 private:
  bool shown_;
  bool visible_ = false;
  std::chrono::steady_clock::time_point started_;
};

void announce(const Scenario& scenario, std::size_t most_at_once) {
  for (const std::string& warning : scenario.warnings)
    fmt::print(stderr, "latchlab: warning: {}\n", warning);
  const std::size_t jobs = std::min(most_at_once, repeats_of(scenario));
  const double seconds = estimate_seconds(scenario) / static_cast<double>(jobs);
  if (seconds < kWorthSaying) return;
  fmt::print(stderr, "{}: {}, {}, {} at once: about {:.0f} s and {:.0f} MiB\n", scenario.name,
             counted(scenario.points.size(), "point"), counted(repeats_of(scenario), "run"), jobs,
             seconds, estimate_mib(scenario) * static_cast<double>(jobs));
}

// What to type to run the same again, should an invariant of ours break.
std::string replay_command(const RunArguments& arguments) {
  std::string command = "latchlab run " + arguments.input.scenario;
  for (const std::string& set : arguments.input.sets) command += " --set '" + set + "'";
  if (arguments.input.seed) command += fmt::format(" --seed {}", *arguments.input.seed);
  if (arguments.input.repeats) command += fmt::format(" --repeats {}", *arguments.input.repeats);
  return command;
}

bool misses_any(const Scenario& scenario, const StudyScore& score, bool strict) {
  for (std::size_t i = 0; i < score.figures.size(); ++i)
    if (is_missed(scenario.expectations[i], score.figures[i], strict)) return true;
  return false;
}

int exit_code(const StudyOutcome& outcome) {
  if (outcome.interrupted) return kInterrupted;
  RepeatStatus worst = RepeatStatus::ok;
  for (const PointOutcome& point : outcome.points) worst = std::max(worst, point.status());
  if (worst == RepeatStatus::unavailable) return kCannot;
  return worst > RepeatStatus::unavailable ? kBroken : kFine;
}

void report_problems(const Scenario& scenario, const StudyOutcome& outcome, bool warn) {
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const RepeatStatus status = outcome.points[i].status();
    if (status == RepeatStatus::ok || (status == RepeatStatus::starved && !warn)) continue;
    std::string where = scenario.points[i].protocol.label;
    for (const auto& [path, value] : scenario.points[i].axes)
      if (path != "protocol") where += fmt::format(", {}={}", path, value);
    fmt::print(stderr, "latchlab: {}point {} ({}): {}: {}\n",
               status == RepeatStatus::starved ? "warning: " : "", i, where, name_of(status),
               outcome.points[i].message());
  }
}

// A lock whose second half of the window differs from the first has not settled, or has stopped.
constexpr double kSteady = 0.05;

void report_unsteady(const Scenario& scenario, const StudyOutcome& outcome) {
  std::string where;
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const Leaves metrics = outcome.points[i].metrics();
    const LeafValue* value = find_leaf(metrics, "stationary");
    const auto ratio = value != nullptr ? number_of(*value) : std::nullopt;
    if (!ratio || (*ratio > 1 - kSteady && *ratio < 1 + kSteady)) continue;
    where += fmt::format("{}{} at point {} ({:.2f})", where.empty() ? "" : ", ",
                         scenario.points[i].protocol.label, i, *ratio);
  }
  if (where.empty()) return;
  fmt::print(stderr,
             "latchlab: warning: goodput of the window's second half over the first is beyond 5% "
             "of 1 for {}: lengthen run.warmup, or look whether the lock has stopped\n",
             where);
}

void print_outcome(const Scenario& scenario, const StudyOutcome& outcome, const StudyScore& score,
                   const std::string& directory) {
  fmt::print("{}", table(scenario, outcome));
  if (const std::string says = finding(scenario, outcome); !says.empty())
    fmt::print("\n{}\n", says);
  if (!score.figures.empty())
    fmt::print("\n{}{}", figure_table(scenario, score), score_lines(score.scores));
  fmt::print("\nResults: {}\n", directory);
}

}  // namespace

Ran run_one(const RunArguments& arguments, const Scenario& scenario,
            const BackendFactory& make_backend) {
  auto directory = make_run_directory(arguments.out, scenario.name);
  if (!directory) return {complain(directory.error()), {}};

  const bool talks = !arguments.quiet && !arguments.json;
  StudyOptions options;
  options.jobs =
      arguments.jobs > 0 ? arguments.jobs : std::max(1u, std::thread::hardware_concurrency());
  options.points_dir = directory.value() + "/points";
  Progress progress(talks && isatty(STDERR_FILENO) != 0);
  options.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
  if (talks) announce(scenario, options.jobs);
  check_context().scenario = scenario.file;
  check_context().replay_command = replay_command(arguments);
  const StudyOutcome outcome = run_study(scenario, options, make_backend);
  progress.clear();

  const RunManifest manifest{LATCHLAB_VERSION, arguments.backend, {}};
  const Status written = write_study(directory.value(), scenario, outcome, manifest, options.jobs);
  report_problems(scenario, outcome, !arguments.quiet);
  if (talks) report_unsteady(scenario, outcome);
  if (arguments.json) fmt::print("{}", results_json(scenario, outcome, manifest));
  Ran ran{exit_code(outcome), score_study(scenario, outcome)};
  if (talks) print_outcome(scenario, outcome, ran.score, directory.value());
  if (!written) return {complain(written.error(), kCannot), std::move(ran.score)};
  const std::string timing = timing_json(outcome, options.jobs);
  write_report(directory.value() + "/report.html",
               {{directory.value(), scenario, outcome, manifest, timing}});
  if (outcome.interrupted)
    fmt::print(stderr, "latchlab: interrupted; what was finished is in {}\n", directory.value());
  if (ran.code == kFine && misses_any(scenario, ran.score, arguments.strict)) ran.code = kBroken;
  return ran;
}

int run(const RunArguments& arguments) {
  auto factory = backend_factory(arguments.backend);
  if (!factory) return complain(factory.error(), kCannot);
  auto loaded = load(arguments.input);
  if (!loaded) return complain(loaded.error());
  return run_one(arguments, loaded.value(), factory.value()).code;
}

int check(const ScenarioArguments& arguments) {
  auto loaded = load(arguments);
  if (!loaded) return complain(loaded.error());
  const Scenario& scenario = loaded.value();
  for (const std::string& warning : scenario.warnings) fmt::print("warning: {}\n", warning);
  const std::size_t figures = scenario.expectations.size();
  fmt::print("{}: fine: {}, {}{}, about {:.0f} s and {:.0f} MiB on one core\n", scenario.file,
             counted(scenario.points.size(), "point"), counted(repeats_of(scenario), "run"),
             figures > 0 ? ", " + counted(figures, "expectation") : "", estimate_seconds(scenario),
             estimate_mib(scenario));
  return kFine;
}

}  // namespace latchlab::tool
