#pragma once
// The terminal output of `latchlab compare` for two runs.

#include "core/study/study_comparison.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

void print_comparison(const StoredRun& a, const StoredRun& b, const StudyComparison& made);

}  // namespace latchlab::tool
