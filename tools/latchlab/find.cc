#include "tools/latchlab/find.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/conclude/output.h"
#include "core/run/files.h"
#include "core/run/point_files.h"
#include "tools/latchlab/command_line.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/plugins.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/run.h"
#include "tools/latchlab/table.h"
#include "tools/report/report.h"

namespace latchlab::tool {

namespace {

constexpr const char* kFindFile = "/find.json";

// Stores the search as a study that grows, so that an interrupted search leaves a readable run.
class GrowingStudy {
 public:
  GrowingStudy(const FindPlan& plan, const RunBackend& backend, std::string directory,
               std::uint32_t jobs, bool talks)
      : plan_(plan),
        backend_(backend),
        manifest_(manifest_of(backend)),
        directory_(std::move(directory)),
        jobs_(jobs),
        talks_(talks) {}

  Result<std::vector<std::vector<PointOutcome>>> run(const std::vector<std::int64_t>& values) {
    const bool first = values_.empty();
    values_.insert(values_.end(), values.begin(), values.end());
    if (const Status ran = run_all(first); !ran) return ran.error();
    const std::size_t locks = plan_.question.labels.size();
    std::vector<std::vector<PointOutcome>> outcomes(values.size());
    auto point = outcome_.points.end() - static_cast<std::ptrdiff_t>(values.size() * locks);
    for (auto& each : outcomes) {
      each.assign(point, point + static_cast<std::ptrdiff_t>(locks));
      point += static_cast<std::ptrdiff_t>(locks);
    }
    return outcomes;
  }

  // Sorts the points by their value on the axis.
  Status finish() {
    std::sort(values_.begin(), values_.end());
    return run_all(false);
  }

  Status write_page() const {
    return write_report(directory_ + "/report.html",
                        {part_of(directory_, scenario_, outcome_, manifest_)});
  }

  bool interrupted() const { return outcome_.interrupted; }
  const Scenario& scenario() const { return scenario_; }
  const StudyOutcome& outcome() const { return outcome_; }

 private:
  Status run_all(bool first) {
    auto scenario = plan_.scenario_at(values_);
    if (!scenario) return scenario.error();
    scenario_ = std::move(scenario).value();
    auto files = PointFiles::open(directory_, manifest_, maker_of(backend_));
    if (!files) return files.error();
    if (Status adopted = files.value().adopt(scenario_); !adopted) return adopted;
    for (const std::string& warning : files.value().warnings())
      fmt::print(stderr, "latchlab: warning: {}\n", warning);
    if (Status written = write_atomically(directory_ + "/scenario.yaml", scenario_.resolved_yaml);
        !written)
      return written;
    const double seconds = seconds_left(files.value());
    if (first && talks_) announce(seconds);
    Progress progress(talks_ && isatty(STDERR_FILENO) != 0, seconds);
    const PointLines lines(scenario_, files.value(), talks_);
    StudyOptions options;
    options.jobs = jobs_;
    options.files = &files.value();
    options.work = [](const Point& point) { return estimate_seconds(point); };
    options.progress = [&](const StudyProgress& at) { progress.show(at); };
    outcome_ = run_study(scenario_, options, backend_.make);
    if (outcome_.cannot_write) return *outcome_.cannot_write;
    if (Status written = write_study(directory_, scenario_, outcome_, manifest_, jobs_); !written)
      return written;
    if (outcome_.interrupted) return Error{"interrupted", {}};
    return fine();
  }

  double seconds_left(const PointFiles& files) const {
    double seconds = 0;
    for (const Point& point : scenario_.points)
      for (std::uint32_t r = 0; r < point.run.repeats; ++r)
        if (!files.find(point, r)) seconds += estimate_seconds(point);
    return seconds / jobs_;
  }

  void announce(double seconds) const {
    for (const Warning& warning : scenario_.warnings)
      fmt::print(stderr, "latchlab: warning: {}\n", warning.text);
    double dearest = 0;  // cost of all locks at the most expensive value
    for (const Point& point : scenario_.points)
      dearest = std::max(dearest, estimate_seconds(point) * point.run.repeats);
    dearest *= static_cast<double>(plan_.question.labels.size()) / jobs_;
    const std::size_t steps = steps_per_crossing(plan_.axis, plan_.precision);
    if (seconds + dearest * static_cast<double>(steps) < kWorthSaying) return;
    fmt::print(stderr,
               "find: {} values of {} first, {} runs, {}; then about {} for each crossing, at "
               "most {}\n",
               values_.size(), plan_.axis.path, repeats_of(scenario_), rough_time(seconds), steps,
               rough_time(dearest * static_cast<double>(steps)));
  }

  const FindPlan& plan_;
  const RunBackend& backend_;
  RunManifest manifest_;
  std::string directory_;
  std::uint32_t jobs_;
  bool talks_;
  std::vector<std::int64_t> values_;
  Scenario scenario_;
  StudyOutcome outcome_;
};

std::string find_command(const FindArguments& arguments) {
  std::string command = "latchlab find " + shell_word(arguments.input.scenario);
  const auto add = [&command](const char* option, const std::string& value) {
    if (!value.empty()) command += fmt::format(" {} {}", option, quoted_word(value));
  };
  for (const std::string& set : arguments.input.sets) add("--set", set);
  if (arguments.input.seed) command += fmt::format(" --seed {}", *arguments.input.seed);
  if (arguments.input.repeats) command += fmt::format(" --repeats {}", *arguments.input.repeats);
  add("--data", arguments.input.data);
  add("--cross", arguments.cross);
  add("--metric", arguments.metric);
  add("--passes", arguments.passes);
  add("--of", arguments.of);
  add("--along", arguments.along);
  add("--precision", arguments.precision);
  return command + plugin_options();
}

Result<ResultsDirectory> find_directory(const FindArguments& arguments, const FindPlan& plan) {
  const std::string name = plan.name + "-find";
  return arguments.resume ? reopen_results_directory(arguments.out, name, kFindFile + 1)
                          : claim_results_directory(arguments.out, name);
}

bool any_broken(const StudyOutcome& outcome) {
  return std::any_of(outcome.points.begin(), outcome.points.end(), [](const PointOutcome& point) {
    return point.status() > RepeatStatus::unavailable;
  });
}

int search_in(const std::string& directory, const FindArguments& arguments, const FindPlan& plan,
              const RunBackend& backend) {
  const std::string file = directory + kFindFile;
  // Written first, because this file marks the directory as one that --resume accepts.
  if (const Status written = write_atomically(file, find_json(plan, {})); !written)
    return complain(written.error(), kCannot);
  const bool talks = !arguments.quiet && !arguments.json;
  GrowingStudy study(plan, backend, directory, arguments.jobs > 0 ? arguments.jobs : cores(),
                     talks);
  const auto probes = find_crossings(plan.axis, plan.question, plan.precision,
                                     [&](const auto& values) { return study.run(values); });
  if (!probes && study.interrupted()) {
    fmt::print(stderr,
               "latchlab: interrupted; what was finished is in {}, and --resume goes on with "
               "it:\n  {} --resume --out {}\n",
               directory, find_command(arguments), shell_word(directory));
    return kInterrupted;
  }
  if (!probes) return complain(probes.error());
  const Status finished = study.finish();
  if (!finished && study.interrupted()) return kInterrupted;
  if (!finished) return complain(finished.error(), kCannot);
  const std::string text = find_json(plan, probes.value());
  Status written = write_atomically(file, text);
  if (written) written = study.write_page();  // the page includes the answer in find.json
  if (!written) return complain(written.error(), kCannot);
  if (arguments.json) fmt::print("{}", text);
  if (talks) fmt::print("{}\n", table(study.scenario(), study.outcome()));
  if (!arguments.json)
    for (const std::string& sentence : answers(plan, probes.value())) fmt::print("{}\n", sentence);
  if (talks) fmt::print("\nResults: {}\nReport: {}/report.html\n", directory, directory);
  return any_broken(study.outcome()) ? kBroken : kFine;
}

}  // namespace

int find(const FindArguments& arguments) {
  const auto planned = plan_find(arguments);
  if (!planned) return complain(planned.error());
  const FindPlan& plan = planned.value();
  // Checks before the search that the scenario is valid at both ends of the axis.
  const auto ends = plan.scenario_at({plan.axis.low, plan.axis.high});
  if (!ends) return complain(ends.error());
  RunArguments simulated;
  simulated.input = arguments.input;
  const auto backend = run_backend(simulated, {&ends.value()});
  if (!backend) return complain(backend.error(), kCannot);
  const auto directory = find_directory(arguments, plan);
  if (!directory) return complain(directory.error());
  check_context().scenario = ends.value().file;
  check_context().replay_command = find_command(arguments);
  return search_in(directory.value().path, arguments, plan, backend.value());
}

}  // namespace latchlab::tool
