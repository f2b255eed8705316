#include "tools/latchlab/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

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

}  // namespace latchlab::tool
