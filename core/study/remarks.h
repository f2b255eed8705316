#pragma once
// What is to be known of points that ran to their end, beside whether they did: a warning on the
// terminal and a box on the page.

#include <cstddef>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab {

inline constexpr double kManyAborts = 0.1;         // of the acquisitions
inline constexpr double kManyRecoveries = 0.0001;  // of the acquisitions, in a run without faults

struct Remark {
  struct At {
    std::size_t point;
    std::string found;  // "691 of 1237 grants"
  };
  std::string word;  // as in verdicts, where it is one of theirs
  std::string says;  // what it means
  std::vector<At> points;
};

// One for each kind that some point has: cut sections, expired holds, late effects, aborted tries,
// recoveries.
std::vector<Remark> remarks(const Scenario& scenario, const StudyOutcome& outcome);

// The same as an array: [{word, says, points: [[0, "691 in 1237 grants"], ...]}, ...].
std::string remarks_json(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab
