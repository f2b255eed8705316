#pragma once
// One scenario, from a loaded file to its results and its exit code: what `run` does once and
// `reproduce` for each experiment.

#include "core/runner/scoring.h"
#include "core/runner/study.h"
#include "tools/latchlab/commands.h"

namespace latchlab::tool {

struct Ran {
  int code = kFine;
  StudyScore score;
};

// Prints what `run` prints. `arguments.input` is only repeated in messages.
Ran run_one(const RunArguments& arguments, const Scenario& scenario,
            const BackendFactory& make_backend);

}  // namespace latchlab::tool
