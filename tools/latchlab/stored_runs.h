#pragma once
// Finished runs that are named on the command line, read back.

#include <string>
#include <vector>

#include "core/study/stored_study.h"
#include "tools/report/report.h"

namespace latchlab::tool {

struct StoredRun {
  // The last part of its path, or, where two agree in it, all of it; "a again" is a once more.
  std::string name;
  std::string directory;
  StoredStudy study;
  std::string sensitivity;  // the text of its sensitivity.json; may be empty
};

// At least one.
Result<std::vector<StoredRun>> load_runs(const std::vector<std::string>& directories,
                                         const std::string& data);

// Refused: one directory twice.
Status check_distinct(const std::vector<std::string>& directories);

// Refers to the run.
ReportPart part_of(const StoredRun& run);

}  // namespace latchlab::tool
