#pragma once
// Caveats of points that ran to their end, for a warning on the terminal and a box on the page.

#include <cstddef>
#include <string>
#include <vector>

#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab {

inline constexpr double kManyAborts = 0.1;         // of the acquisitions
inline constexpr double kManyRecoveries = 0.0001;  // of the acquisitions, in a run without faults

struct Remark {
  struct At {
    std::size_t point;
    std::string found;  // "691 of 1237 grants"
  };
  std::string word;  // the word of the verdict, if it has one
  std::string says;  // its meaning
  std::vector<At> points;
};

// One remark for each kind that some point has: cut sections, expired holds, late effects, aborted
// attempts, recoveries.
std::vector<Remark> remarks(const Scenario& scenario, const StudyOutcome& outcome);

// The same as JSON: [{word, says, points: [[0, "691 in 1237 grants"], ...]}, ...].
std::string remarks_json(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab
