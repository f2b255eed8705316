#pragma once
// Loads the finished runs that a command line names.

#include <string>
#include <vector>

#include "core/study/stored_study.h"
#include "tools/report/report.h"

namespace latchlab::tool {

struct StoredRun {
  // The last component of its path, or the whole path if two runs share the last component. "a
  // again" is a second mention of "a".
  std::string name;
  std::string directory;
  StoredStudy study;
  std::string sensitivity;  // the text of its sensitivity.json; may be empty
};

// Precondition: at least one directory.
Result<std::vector<StoredRun>> load_runs(const std::vector<std::string>& directories,
                                         const std::string& data);

// Error: a directory is given twice.
Status check_distinct(const std::vector<std::string>& directories);

// The result holds references into `run`.
ReportPart part_of(const StoredRun& run);

}  // namespace latchlab::tool
