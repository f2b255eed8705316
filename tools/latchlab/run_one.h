#pragma once
// One scenario, from a loaded file to its results and its exit code: what `run` does once and
// `reproduce` for each experiment.

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

// What repeats run on. Either children run them with the factory, or the runner does.
struct RunBackend {
  std::string name;                   // as results give it
  std::vector<std::string> emulated;  // "masked_atomics_16: how"
  // "locks.memory: device: why (label)": points that it cannot run.
  std::vector<std::string> refused;
  std::vector<std::string> software;  // "rxe0 is soft-RoCE": devices that are none
  // What else of it decides results, so that no run is made of two; empty: nothing.
  std::string setting;
  BackendFactory make;
  RepeatRunner runner;
  std::optional<int> over;  // the process has done what it was started for: its exit code
};
// Of --rendezvous: an address, a token for it, and no mpirun.
Status check_rendezvous(const std::string& rendezvous);
// Refuses options that the backend cannot heed, before anything else is done.
Status check_backend_options(const RunArguments& arguments);
// All scenarios together decide how many nodes there are to be.
Result<RunBackend> run_backend(const RunArguments& arguments,
                               const std::vector<const Scenario*>& scenarios);

// What stored results say of where they come from, and what makes them, but for the scenario.
RunManifest manifest_of(const RunBackend& backend);
std::string maker_of(const RunBackend& backend);

// Prints what `run` prints. `arguments.input` is only repeated in messages.
Ran run_one(const RunArguments& arguments, const Scenario& scenario, const RunBackend& backend);

}  // namespace latchlab::tool
