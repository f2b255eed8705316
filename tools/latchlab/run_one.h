#pragma once
// Runs one scenario, from the loaded file to its results and exit code. `run` does this once,
// `reproduce` once per experiment.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/study/output.h"
#include "core/study/scoring.h"
#include "core/study/study.h"
#include "tools/latchlab/commands.h"

namespace latchlab::tool {

struct Ran {
  int code = kFine;
  StudyScore score;
};

// The backend for repeats. Child processes run them with `make`, unless `runner` is set.
struct RunBackend {
  std::string name;                   // as in the results
  std::vector<std::string> emulated;  // "masked_atomics_16: how"
  // "locks.memory: device: why (label)": points that the backend cannot run.
  std::vector<std::string> refused;
  std::vector<std::string> software;  // "rxe0 is soft-RoCE": devices without hardware
  // Other settings that affect results, so that a resumed run cannot mix two of them; may be empty.
  std::string setting;
  BackendFactory make;
  RepeatRunner runner;
  std::optional<int> over;  // set: the process has done its work and exits with this code
};
// Checks --rendezvous: it must be an address, with a token, and excludes mpirun.
Status check_rendezvous(const std::string& rendezvous);
// Rejects options that the backend does not support. Call before anything else.
Status check_backend_options(const RunArguments& arguments);
// All scenarios together determine the number of nodes.
Result<RunBackend> run_backend(const RunArguments& arguments,
                               const std::vector<const Scenario*>& scenarios);

// The origin that stored results record, and the key of everything that affects results except the
// scenario.
RunManifest manifest_of(const RunBackend& backend);
std::string maker_of(const RunBackend& backend);

// Runs the scenario and prints the output of `run`. Uses `arguments.input` only in messages.
Ran run_one(const RunArguments& arguments, const Scenario& scenario, const RunBackend& backend);

}  // namespace latchlab::tool
