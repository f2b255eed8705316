#pragma once
// What full runs predict of a paper's experiments, as lines of predictions/PAPER.csv.

#include <string>

#include "core/study/stored_study.h"

namespace latchlab::tool {

inline constexpr const char* kPredictionHead = "experiment,system,point,metric,value,low,high\n";

// One line for each point that ran as it should and each metric that it has: those that papers
// print, and those of the experiment's own figures and expectations.
//
// value is that of the point. low and high span its repeats and the 95% interval of its mean; both
// are then moved as far as the model's constants, at the ends of their ranges, move this metric of
// this lock where the sweep ends (`sensitivity`: the text of sensitivity.json, which may be empty).
// Six digits. Equal runs give equal bytes.
std::string prediction_lines(const std::string& experiment, const StoredStudy& study,
                             const std::string& sensitivity);

}  // namespace latchlab::tool
