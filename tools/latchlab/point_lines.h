#pragma once
// A line on stderr for each point that has ended, for logs and for people who do not look at a
// terminal: "2 of 12 points: cas, locks.count=10: ok, 1.234 M/s". A terminal has a line that
// overwrites itself instead (progress.h).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/study/point_files.h"
#include "core/study/study.h"

namespace latchlab::tool {

class PointLines {
 public:
  // What is stored already is not told. Listens to the files while it lives; nothing is said on a
  // terminal, or if `talks` is false.
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
  std::size_t over_ = 0;  // of the points
};

}  // namespace latchlab::tool
