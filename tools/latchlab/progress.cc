#include "tools/latchlab/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "core/conclude/figure_lines.h"
#include "core/conclude/values.h"

namespace latchlab::tool {

namespace {

// Below this share of the work, the estimate is more reliable than the speed so far.
constexpr double kTelling = 0.05;

}  // namespace

double seconds_left(double share, double spent_s, double expected_s) {
  const double guessed = std::max(expected_s - spent_s, 1.0);
  if (share <= 0) return guessed;
  const double measured = spent_s / share * (1 - share);
  const double trust = std::min(share / kTelling, 1.0);
  return trust * measured + (1 - trust) * guessed;
}

std::string rough_time(double seconds) {
  if (seconds < 100) return fmt::format("about {:.0f} s", std::max(seconds, 1.0));
  if (seconds < 100 * 60) return fmt::format("about {:.0f} min", seconds / 60);
  return fmt::format("about {:.0f} h", seconds / 3600);
}

Progress::Progress(bool shown, double seconds)
    : shown_(shown), expected_s_(seconds), started_(std::chrono::steady_clock::now()) {}

void Progress::show(const StudyProgress& at) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  if (!shown_ || spent.count() < kWorthSaying) return;
  const std::string left = rough_time(seconds_left(at.share, spent.count(), expected_s_));
  fmt::print(stderr, "\r{:<48}", fmt::format("{}/{} runs, {} left", at.done, at.all, left));
  std::fflush(stderr);
  visible_ = true;
}

void Progress::clear() {
  if (visible_) fmt::print(stderr, "\r{:48}\r", "");
  visible_ = false;
}

namespace {

// "cas, locks.count=10"
std::string name_of_point(const Point& point) {
  std::string name = point.protocol.label;
  for (const auto& [path, value] : point.axes)
    if (!names_the_lock(path)) name += fmt::format(", {}={}", path, value);
  return name;
}

}  // namespace

PointLines::PointLines(const Scenario& scenario, PointFiles& files, bool talks)
    : scenario_(scenario), files_(files) {
  if (!talks || ::isatty(STDERR_FILENO) != 0) return;
  points_.resize(scenario.points.size());
  for (std::size_t p = 0; p < points_.size(); ++p) {
    points_[p].repeats.resize(scenario.points[p].run.repeats);
    for (std::uint32_t r = 0; r < points_[p].repeats.size(); ++r)
      points_[p].repeats[r] = files.find(scenario.points[p], r);
    over_ += is_over(p) ? 1 : 0;
  }
  files.listen([this](std::size_t number, std::uint32_t repeat, const RepeatOutcome& outcome) {
    ended(number, repeat, outcome);
  });
}

bool PointLines::is_over(std::size_t number) const {
  const PointOutcome& point = points_[number];
  return point.complete() && !wants_another(scenario_.points[number], point);
}

void PointLines::ended(std::size_t number, std::uint32_t repeat, const RepeatOutcome& outcome) {
  PointOutcome& point = points_[number];
  point.repeats.resize(std::max<std::size_t>(point.repeats.size(), repeat + 1));
  point.repeats[repeat] = outcome;
  if (!is_over(number)) return;
  const auto goodput = number_at(point.metrics(), "goodput_ops_s");
  fmt::print(stderr, "{} of {} points: {}: {}{}\n", ++over_, points_.size(),
             name_of_point(scenario_.points[number]), name_of(point.status()),
             goodput ? ", " + rate(*goodput) : "");
  std::fflush(stderr);
}

}  // namespace latchlab::tool
