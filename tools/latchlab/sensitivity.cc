#include "tools/latchlab/sensitivity.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/json.h"
#include "core/conclude/conclusion.h"
#include "core/conclude/sensitivity.h"
#include "core/run/files.h"
#include "core/run/point_files.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/progress.h"

namespace latchlab::tool {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSaid = 6;
// Estimated limits of one search, on one core. `estimate_seconds` depends on the scenario alone, so
// that the windows are the same on every machine.
constexpr double kShortRunsSeconds = 20;
constexpr double kLastRunsSeconds = 10;
constexpr double kTooLongSeconds = 600;  // windows with events at given dates stay whole

double seconds_of(const std::vector<Point>& points, std::uint32_t jobs) {
  double seconds = 0;
  for (const Point& point : points) seconds += estimate_seconds(point) * point.run.repeats;
  return seconds / jobs;
}

// Runs the stages of a search, each in a separate folder, so that work finished before an
// interruption is kept.
class StageRuns {
 public:
  StageRuns(const SensitivityRequest& request, std::string name)
      : request_(request), name_(std::move(name)) {}

  Result<StudyOutcome> run(const std::string& stage, const std::vector<Point>& points) {
    Scenario scenario;
    scenario.name = name_;
    scenario.points = points;
    auto files = open_files(folder() + "/" + stage, scenario);
    if (!files) return files.error();
    const double seconds = seconds_of(points, request_.jobs);
    if (stage == "ends" && request_.talks && seconds >= kWorthSaying)
      fmt::print(stderr, "sensitivity: {} longer runs where an order is open: {}\n",
                 repeats_of(scenario), rough_time(seconds));
    Progress progress(request_.talks && isatty(STDERR_FILENO) != 0, seconds);
    StudyOptions options;
    options.jobs = request_.jobs;
    options.files = &files.value();
    options.work = [](const Point& point) { return estimate_seconds(point); };
    options.progress = [&](const StudyProgress& at) { progress.show(at); };
    StudyOutcome outcome = run_study(scenario, options, request_.backend.make);
    if (outcome.cannot_write) return *outcome.cannot_write;
    interrupted_ = outcome.interrupted;
    if (interrupted_) return Error{"interrupted", {}};
    return outcome;
  }

  std::string folder() const { return request_.directory + "/sensitivity"; }
  bool interrupted() const { return interrupted_; }

 private:
  // Removes files of another scenario or program, which cannot be reused.
  Result<PointFiles> open_files(const std::string& directory, const Scenario& scenario) const {
    for (const bool again : {false, true}) {
      std::error_code error;
      if (again) fs::remove_all(directory, error);
      fs::create_directories(directory, error);
      auto files = PointFiles::open(directory, request_.manifest, request_.maker);
      if (!files || again || files.value().adopt(scenario)) return files;
    }
    return Error{"not reached", {}};
  }

  const SensitivityRequest& request_;
  std::string name_;
  bool interrupted_ = false;
};

SensitivityCost cost() {
  return {[](const Point& point) { return estimate_seconds(point); }, kShortRunsSeconds,
          kLastRunsSeconds};
}

std::vector<Point> short_runs_of(const Scenario& scenario,
                                 const std::vector<std::size_t>& compared) {
  std::vector<Point> all;
  for (const std::size_t i : compared) all.push_back(scenario.points[i]);
  return short_runs(std::move(all), cost());
}

void announce(const SensitivityRequest& request, const Scenario& scenario,
              const std::vector<std::size_t>& compared) {
  const std::vector<Point> all = short_runs_of(scenario, compared);
  const double seconds = seconds_of(all, request.jobs);
  if (seconds < kWorthSaying) return;
  fmt::print(stderr,
             "sensitivity: at most {} short runs, {}; then longer ones where these leave an order "
             "open\n",
             compared.size() * all.front().run.repeats, rough_time(seconds));
}

// Reads the stored analysis if it belongs to the same results; otherwise searches.
Result<std::string> find_or_read(const SensitivityRequest& request, const Scenario& scenario,
                                 const StudyOutcome& outcome,
                                 const std::vector<std::size_t>& compared, StageRuns& stages) {
  if (auto known = stored_sensitivity(request.directory, outcome); known && !known.value().empty())
    return known;
  if (request.talks) announce(request, scenario, compared);
  const auto found =
      find_sensitivity(scenario, outcome, compared, cost(),
                       [&](const std::string& stage, const std::vector<Point>& points) {
                         return stages.run(stage, points);
                       });
  if (!found) return found.error();
  std::string text = sensitivity_json(found.value());
  if (const Status written = write_atomically(request.directory + "/sensitivity.json", text);
      !written)
    return written.error();
  std::error_code error;
  fs::remove_all(stages.folder(), error);
  return text;
}

void tell(const std::string& text) {
  const auto json = parse_json(text);
  const auto& says = json["says"];
  fmt::print("\nHow far this hangs on what the model does not know:\n");
  for (std::size_t i = 0; i < std::min(says.size(), kMostSaid); ++i)
    fmt::print("  {}\n", says[i].get<std::string>());
  if (says.size() > kMostSaid)
    fmt::print("  and {} more, in sensitivity.json and on the page\n", says.size() - kMostSaid);
}

}  // namespace

double sensitivity_seconds(const Scenario& scenario) {
  std::vector<std::size_t> last;
  std::set<std::string> locks;
  for (std::size_t i = scenario.points.size(); i-- > 0;)
    if (same_configuration(scenario, scenario.points[i], scenario.points.back()) &&
        locks.insert(scenario.points[i].protocol.label).second)
      last.push_back(i);
  return seconds_of(short_runs_of(scenario, last), 1);
}

Result<bool> ask_sensitivity(const SensitivityRequest& request, const Scenario& scenario,
                             const StudyOutcome& outcome) {
  const std::vector<std::size_t> compared = compared_points(scenario, outcome);
  if (compared.size() < 2 && request.talks)
    fmt::print(
        "\nNo two locks are compared where the sweep ends: nothing hangs on the model's "
        "constants but the numbers themselves.\n");
  if (compared.size() < (request.numbers ? 1 : 2)) return true;
  const double seconds = seconds_of(short_runs_of(scenario, compared), 1);
  if (seconds > kTooLongSeconds) {
    if (request.talks)
      fmt::print(
          "\nNot searched for constants on which the ranking depends: {} on one core, because "
          "windows with events at given dates cannot be shorter.\n",
          rough_time(seconds));
    return true;
  }
  StageRuns stages(request, scenario.name);
  const auto text = find_or_read(request, scenario, outcome, compared, stages);
  if (!text && stages.interrupted()) return false;
  if (!text) return text.error();
  if (request.talks && compared.size() > 1) tell(text.value());
  return true;
}

}  // namespace latchlab::tool
