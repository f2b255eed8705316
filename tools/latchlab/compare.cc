#include "tools/latchlab/compare.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/conclude/study_comparison.h"
#include "core/conclude/values.h"
#include "core/run/study.h"
#include "tools/latchlab/backends.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/load.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

namespace {

constexpr const char* kStopped = "interrupted";  // the error's text after an interruption

struct ExplainOptions {
  std::vector<std::string> metrics;
  std::uint32_t jobs = 1;
  bool talks = true;
};

Result<StudyOutcome> simulate(const std::string& stage, const std::vector<Point>& points,
                              const BackendFactory& make, const ExplainOptions& wanted) {
  Scenario scenario;
  scenario.name = "explain";
  scenario.points = points;
  const double seconds = estimate_seconds(scenario) / wanted.jobs;
  if (wanted.talks && seconds >= kWorthSaying)
    fmt::print(stderr, "explain: {}: {}, {}\n", stage, counted(repeats_of(scenario), "run"),
               rough_time(seconds));
  Progress progress(wanted.talks && isatty(STDERR_FILENO) != 0, seconds);
  StudyOptions options;
  options.jobs = wanted.jobs;
  options.work = [](const Point& point) { return estimate_seconds(point); };
  options.progress = [&](const StudyProgress& at) { progress.show(at); };
  StudyOutcome outcome = run_study(scenario, options, make);
  if (outcome.interrupted) return Error{kStopped, {}};
  return outcome;
}

// Finds the constants of the simulated NIC that explain the differences: simulates the points that
// are sound in both runs and ran without emulation, with varied constants. Varies the simulation if
// the other run is a measurement, otherwise the first run.
Result<Explanation> explain_comparison(const StoredRun& a, const StoredRun& b,
                                       const StudyComparison& made, const ExplainOptions& options) {
  const bool first = is_simulated(a.study.manifest);
  if (!first && !is_simulated(b.study.manifest))
    return Error{"--explain changes constants of a simulation, and neither run is one", {}};
  const auto make = backend_factory("simgrid");
  if (!make) return make.error();
  ExplainRequest request{(first ? a : b).study, (first ? b : a).study, {}, options.metrics};
  for (const PointPair& pair : made.pairs)
    if (pair.unsound.empty() && pair.emulated.empty())
      request.points.emplace_back(first ? pair.a : pair.b, first ? pair.b : pair.a);
  if (request.points.empty())
    return Error{
        "--explain: no point is sound in both runs and of an RNIC's own verbs; what was "
        "emulated says nothing of the model's constants",
        {}};
  return explain_errors(request, [&](const std::string& stage, const std::vector<Point>& points) {
    return simulate(stage, points, make.value(), options);
  });
}

Result<std::vector<std::string>> metrics_of(const CompareArguments& arguments) {
  std::vector<std::string> metrics;
  if (!arguments.only) metrics = compared_metrics();
  for (const std::string& metric : arguments.metrics) {
    if (const Status known = check_metric_option(metric); !known) return known.error();
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end())
      metrics.push_back(metric);
  }
  if (metrics.empty())
    return Error{"--only: of which metric? add --metric, for example --metric acquire_ns.p999", {}};
  return metrics;
}

// The explanation as JSON; empty without --explain.
Result<std::string> explanation_of(const CompareArguments& arguments, const StoredRun& a,
                                   const StoredRun& b, const StudyComparison& made) {
  if (!arguments.explain) return std::string();
  std::fflush(stdout);
  ExplainOptions options;
  options.metrics = metrics_of(arguments).value();
  options.jobs = arguments.jobs > 0 ? arguments.jobs : cores();
  options.talks = !arguments.json;
  const auto found = explain_comparison(a, b, made, options);
  if (!found) return found.error();
  if (!arguments.json) {
    fmt::print("\nWhat would explain it:\n");
    for (const std::string& each : sentences(found.value())) fmt::print("  {}\n", each);
  }
  return explanation_json(found.value());
}

}  // namespace

int compare_runs(const CompareArguments& arguments) {
  const auto metrics = metrics_of(arguments);
  if (!metrics) return complain(metrics.error());
  if (arguments.directories.size() < 2)
    return complain({"compare wants two runs or more: latchlab compare results/a results/b", {}});
  const auto loaded = load_runs(arguments.directories, arguments.data);
  if (!loaded) return complain(loaded.error());
  const std::vector<StoredRun>& runs = loaded.value();
  std::vector<ReportPart> parts = {part_of(runs.front())};
  std::string json;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const auto made = compare_studies(runs[0].study, runs[i].study, metrics.value());
    if (!made)
      return complain(
          {fmt::format("{} and {}: {}", runs[0].directory, runs[i].directory, made.error().message),
           {}});
    if (!arguments.json && i > 1) fmt::print("\n");
    if (!arguments.json) print_comparison(runs[0], runs[i], made.value());
    const auto explained = explanation_of(arguments, runs[0], runs[i], made.value());
    if (!explained)
      return complain(explained.error(),
                      explained.error().message == kStopped ? kInterrupted : kBadInput);
    ReportPart part = part_of(runs[i]);
    part.comparison = comparison_json({runs[0].name, runs[i].name}, runs[0].study, runs[i].study,
                                      made.value(), explained.value());
    json += (json.empty() ? "" : ",\n") + part.comparison.substr(0, part.comparison.size() - 1);
    parts.push_back(std::move(part));
  }
  if (arguments.json) fmt::print("[\n{}\n]\n", json);
  if (arguments.out.empty()) return kFine;
  if (const Status written = write_report(arguments.out, parts); !written)
    return complain(written.error(), kCannot);
  if (!arguments.json) fmt::print("\nReport: {}\n", arguments.out);
  return kFine;
}

}  // namespace latchlab::tool
