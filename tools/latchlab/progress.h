#pragma once
// A progress line on the terminal that is updated in place, for runs longer than kWorthSaying.

#include <chrono>

#include "core/study/study.h"

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

}  // namespace latchlab::tool
