#pragma once
// Finished runs that are named on the command line, read back.

#include <string>
#include <vector>

#include "core/study/stored_study.h"
#include "tools/report/report.h"

namespace latchlab::tool {

struct StoredRun {
  std::string name;  // the last part of its path, or, where two agree in it, all of it
  std::string directory;
  StoredStudy study;
  std::string sensitivity;  // the text of its sensitivity.json; may be empty
};

// At least one; refused: one directory twice.
Result<std::vector<StoredRun>> load_runs(const std::vector<std::string>& directories,
                                         const std::string& data);

// Refers to the run.
ReportPart part_of(const StoredRun& run);

}  // namespace latchlab::tool
