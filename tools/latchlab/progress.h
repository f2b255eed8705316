#pragma once
// A line on the terminal that overwrites itself, for people who have been waiting for a while.

#include <chrono>

#include "core/study/study.h"

namespace latchlab::tool {

// What takes longer than this is announced and shown, in seconds.
inline constexpr double kWorthSaying = 2.0;

class Progress {
 public:
  // `seconds`: what the whole is expected to take.
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

// Until all is done, of which a share from 0 to 1 took `spent_s`: from the speed so far and, as
// long as that says little, from what was expected; at least a second as long as nothing is done.
double seconds_left(double share, double spent_s, double expected_s);

// "about 50 s", "about 4 min", "about 3 h".
std::string rough_time(double seconds);

}  // namespace latchlab::tool
