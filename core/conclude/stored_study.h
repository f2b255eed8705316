#pragma once
// Reads a finished or interrupted run from its directory.

#include <string>
#include <vector>

#include "core/base/params.h"
#include "core/base/result.h"
#include "core/run/manifest.h"
#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab {

struct StoredStudy {
  Scenario scenario;
  StudyOutcome outcome;
  RunManifest manifest;
};

// Reads DIR/scenario.yaml and DIR/points. Missing repeats count as interrupted; a damaged file is
// an error that names it. `protocols` and `data` as for load_scenario().
Result<StoredStudy> load_stored_study(const std::string& directory,
                                      const std::vector<ProtocolInfo>& protocols,
                                      const DataDirs& data);

}  // namespace latchlab
