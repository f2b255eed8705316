#include "tools/latchlab/compare_explain.h"

#include <fmt/core.h>
#include <unistd.h>

#include "core/study/study.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/values.h"

namespace latchlab::tool {

namespace {

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

}  // namespace

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

}  // namespace latchlab::tool
