#pragma once
// A finished or interrupted run, read back from its directory.

#include <string>
#include <vector>

#include "core/base/params.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/study/output.h"
#include "core/study/study.h"

namespace latchlab {

struct StoredStudy {
  Scenario scenario;
  StudyOutcome outcome;
  RunManifest manifest;
};

// From DIR/scenario.yaml and DIR/points. Repeats that are not there count as interrupted; a file
// that is damaged is an error that names it. `protocols` and `data` as for load_scenario().
Result<StoredStudy> load_stored_study(const std::string& directory,
                                      const std::vector<ProtocolInfo>& protocols,
                                      const DataDirs& data);

}  // namespace latchlab
