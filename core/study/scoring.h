#pragma once
// The expectations of a scenario against what its study measured.

#include <vector>

#include "core/base/result.h"
#include "core/measure/expectations.h"
#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab {

// Whether every metric that an expectation names is one that results have.
Status check_metrics(const Scenario& scenario);

// Whether its numbers are those of whole windows: a run that was stopped by what it found measured
// only a part of one.
bool is_whole(const Point& point, const PointOutcome& outcome);

struct StudyScore {
  std::vector<Scored> figures;  // as scenario.expectations
  std::vector<Score> scores;
};
StudyScore score_study(const Scenario& scenario, const StudyOutcome& outcome);

// The arrays `expectations` and `scores` of results.json, as JSON text.
std::string expectations_json(const Scenario& scenario, const StudyScore& score);
std::string scores_json(const std::vector<Score>& scores);

}  // namespace latchlab
