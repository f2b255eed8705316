#pragma once
// Compares a study's results with the expectations of its scenario.

#include <vector>

#include "core/base/result.h"
#include "core/measure/expectations.h"
#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Checks that every metric of an expectation exists in results.
Status check_metrics(const Scenario& scenario);

// True if the point's numbers cover complete windows; a run that stopped at a violation measured
// only part of one.
bool is_whole(const Point& point, const PointOutcome& outcome);

struct StudyScore {
  std::vector<Scored> figures;  // in the order of scenario.expectations
  std::vector<Score> scores;
};
StudyScore score_study(const Scenario& scenario, const StudyOutcome& outcome);

// The arrays `expectations` and `scores` of results.json, as JSON text.
std::string expectations_json(const Scenario& scenario, const StudyScore& score);
std::string scores_json(const std::vector<Score>& scores);

}  // namespace latchlab
