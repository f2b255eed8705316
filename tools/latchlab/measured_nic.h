#pragma once
// The results of a NIC measurement, and the NIC description fitted to them.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/output.h"
#include "core/study/study.h"
#include "tools/latchlab/measure_nic.h"

namespace latchlab::tool {

// A marker file in the directory of the measurements: all nodes were on one machine.
inline constexpr const char* kOneMachine = "one-machine";

struct Measuring {
  Scenario scenario;
  StudyOutcome outcome;
  RunManifest manifest;
  std::string directory;
};

// Fits the description, prints the result and writes the files. If several measurements have the
// same point, uses the first.
int tell(const MeasureArguments& arguments, const std::vector<Measuring>& all);

}  // namespace latchlab::tool
