#pragma once
// What a measurement has measured, and what is made of it.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/output.h"
#include "core/study/study.h"
#include "tools/latchlab/measure_nic.h"

namespace latchlab::tool {

// A file beside the measurements, if all nodes were on one machine.
inline constexpr const char* kOneMachine = "one-machine";

struct Measuring {
  Scenario scenario;
  StudyOutcome outcome;
  RunManifest manifest;
  std::string directory;
};

// Fits, prints and writes. Of a point that was measured several times, the first counts.
int tell(const MeasureArguments& arguments, const std::vector<Measuring>& all);

}  // namespace latchlab::tool
