#pragma once
// A line on stderr for each finished point, for logs:
// "2 of 12 points: cas, locks.count=10: ok, 1.234 M/s". On a terminal, a progress line that is
// updated in place replaces these lines (progress.h).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/study/point_files.h"
#include "core/study/study.h"

namespace latchlab::tool {

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
