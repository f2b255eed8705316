#pragma once
// `latchlab run` and `latchlab node`, and what the commands share that run scenarios.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/conclude/output.h"
#include "core/conclude/scoring.h"
#include "core/run/study.h"
#include "tools/export/trace_files.h"
#include "tools/latchlab/load.h"

namespace latchlab::tool {

// Devices, addresses and threads of a run on real RNICs.
struct HardwareArguments {
  std::string device;                  // "mlx5_0"; empty: the first whose port is up
  std::vector<std::string> addresses;  // IPv4 or IPv6, used in turn by the nodes on this machine
  std::uint32_t port = 0;              // of the device; 0: the first that is up
  std::optional<int> gid_index;        // in the port's table; excludes `addresses`
  std::uint32_t pkey = 0;              // partition; 0: the first of the port
  std::uint32_t sl = 0;                // service level
  std::uint32_t traffic_class = 0;     // of RoCE
  std::uint32_t workers = 1;           // client threads on each node
  std::uint32_t server_workers = 1;    // threads of each server that serve calls
  bool agents = false;                 // for all memory; otherwise only if a lock needs them
  std::string transport = "rc";        // or "dc"
  // HOST:PORT at which this program waits for node processes; empty: this program starts them on
  // this machine.
  std::string rendezvous;
};

struct RunArguments {
  ScenarioArguments input;
  std::string out;
  std::string backend = "simgrid";
  std::uint32_t jobs = 0;  // 0: as many as there are cores
  bool json = false;
  bool quiet = false;
  bool strict = false;         // a missed validation fails the run too
  bool beyond_memory = false;  // runs even if the estimate exceeds this machine's memory
  bool resume = false;         // continues the incomplete run in the directory
  bool sensitivity = false;    // analyses how the conclusion depends on constants of the model
  // The parts of the scenario that a quick run omits, one line each.
  std::vector<std::string> quick = {};
  std::string part_of = {};  // the command that resumes the enclosing command; empty: none
  exporting::TraceRequest trace;
  HardwareArguments hardware;
};

struct NodeArguments {
  std::string rendezvous;  // HOST:PORT of the coordinator
  std::string token_file;  // empty: the environment variable LATCHLAB_TOKEN
  HardwareArguments hardware;
  std::string data;
  // Directory of the guard journals, if the coordinator on this machine started the node. Empty:
  // the node was started separately, keeps no journal and reads only files below data directories.
  std::string journals;
  bool reads_anything = false;  // also reads other files, which the run's own command line names
};

int run(const RunArguments& arguments);
int node(const NodeArguments& arguments);

// ---- one scenario, from the loaded file to its results and exit code ----

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

// ---- problems and caveats of points, printed to stderr after a run ----

// Prints points that failed or violated a guarantee; with `warn` also points that only starve
// clients, and problems that the scenario lists as known.
void report_problems(const Scenario& scenario, const StudyOutcome& outcome, bool warn);

// Prints points that have not reached steady state, overloaded points, and the remarks
// (core/conclude/remarks.h).
void report_warnings(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::tool
