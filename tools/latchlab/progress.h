#pragma once
// A progress line on the terminal that is updated in place, for runs longer than kWorthSaying.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/run/point_files.h"
#include "core/run/study.h"

namespace latchlab::tool {

// Only work that takes longer than this shows its progress, in seconds.
inline constexpr double kWorthSaying = 2.0;

class Progress {
 public:
  // `seconds`: the expected duration of all work.
  Progress(bool shown, double seconds);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const StudyProgress& at);
  void clear();

 private:
  bool shown_;
  bool visible_ = false;
  double expected_s_;
  std::chrono::steady_clock::time_point started_;
};

// Remaining time in seconds, when `share` (0 to 1) of the work took `spent_s`. Extrapolates the
// speed so far, but relies on `expected_s` while the share is small. At least 1 while it is 0.
double seconds_left(double share, double spent_s, double expected_s);

// "about 50 s", "about 4 min", "about 3 h".
std::string rough_time(double seconds);

// A line on stderr for each finished point, for logs:
// "2 of 12 points: cas, locks.count=10: ok, 1.234 M/s". On a terminal, a progress line that is
// updated in place replaces these lines (progress.h).

class PointLines {
 public:
  // Registers as the listener of `files` until destroyed. Skips repeats that are already stored.
  // Prints nothing if stderr is a terminal or `talks` is false.
  PointLines(const Scenario& scenario, PointFiles& files, bool talks);
  ~PointLines() { files_.listen({}); }
  PointLines(const PointLines&) = delete;
  PointLines& operator=(const PointLines&) = delete;

 private:
  void ended(std::size_t number, std::uint32_t repeat, const RepeatOutcome& outcome);
  bool is_over(std::size_t number) const;

  const Scenario& scenario_;
  PointFiles& files_;
  std::vector<PointOutcome> points_;
  std::size_t over_ = 0;  // number of finished points
};

}  // namespace latchlab::tool
