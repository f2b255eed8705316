#pragma once
// The predictions of full runs for a paper's experiments, as lines of predictions/PAPER.csv.

#include <string>

#include "core/study/stored_study.h"

namespace latchlab::tool {

inline constexpr const char* kPredictionHead = "experiment,system,point,metric,value,low,high\n";

// One line for each metric of each point that is_whole(). The metrics are those that papers often
// print and those of the experiment's figures and expectations.
//
// value is that of the point. low and high span its repeats and the 95% confidence interval of its
// mean. Both are then widened by the change of this lock's metric at the end of the sweep when the
// model's constants are at the ends of their ranges (`sensitivity`: the text of sensitivity.json;
// may be empty). Six digits. Equal runs give byte-identical lines.
std::string prediction_lines(const std::string& experiment, const StoredStudy& study,
                             const std::string& sensitivity);

}  // namespace latchlab::tool
