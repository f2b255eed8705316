#pragma once
// The commands of the tool. Each returns the process's exit code: 0 fine; 1 a lock broke its
// promise, a point failed or a figure that must hold was missed; 2 bad input; 3 the backend or this
// build cannot; 130 interrupted.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/repeat.h"
#include "tools/explore/campaign.h"
#include "tools/export/trace_files.h"

namespace latchlab::tool {

inline constexpr int kFine = 0;
inline constexpr int kBroken = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kCannot = 3;
inline constexpr int kInterrupted = 130;

struct ScenarioArguments {
  std::string scenario;           // a file, a name under scenarios/, or - for stdin
  std::vector<std::string> sets;  // path=value
  std::string data;               // extra data directory
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> repeats;
};

// Where and how a run on real RNICs takes place.
struct HardwareArguments {
  std::string device;                  // "mlx5_0"; empty: the first whose port is up
  std::vector<std::string> addresses;  // IPv4 or IPv6, of the nodes on this machine, in turn
  std::uint32_t port = 0;              // of the device; 0: the first that is up
  std::optional<int> gid_index;        // in the port's table; excludes `addresses`
  std::uint32_t pkey = 0;              // partition; 0: the first that a port has
  std::uint32_t sl = 0;                // service level
  std::uint32_t traffic_class = 0;     // of RoCE
  std::uint32_t workers = 1;           // threads of clients on each node
  std::uint32_t server_workers = 1;    // threads of each server that take calls
  bool agents = false;                 // for all memory; else only where a lock needs them
  std::string transport = "rc";        // or "dc"
  // HOST:PORT where node processes that were started elsewhere come to; empty: this program starts
  // them, on this machine.
  std::string rendezvous;
};

struct NodeArguments {
  std::string rendezvous;  // HOST:PORT of the coordinator
  std::string token_file;  // empty: LATCHLAB_TOKEN
  HardwareArguments hardware;
  std::string data;
  // Where the guard journals of a run on this machine are, which has started this node; empty: this
  // node was started by somebody else, keeps none, and reads only files below data directories.
  std::string journals;
  bool reads_anything = false;  // what the run's own command line names, too
};

struct FabricArguments {
  HardwareArguments hardware;
  std::uint32_t nodes = 0;  // 0: those that MPI has started, or by the addresses
  std::string data;
  bool json = false;
};

struct CheckArguments {
  ScenarioArguments input;
  bool json = false;
};

struct RunArguments {
  ScenarioArguments input;
  std::string out;
  std::string backend = "simgrid";
  std::uint32_t jobs = 0;  // 0: as many as there are cores
  bool json = false;
  bool quiet = false;
  bool strict = false;         // a missed validation fails the run too
  bool beyond_memory = false;  // runs what needs more than this machine has
  bool resume = false;         // goes on in a directory that holds a part of the run
  bool sensitivity = false;    // asks which constants of the model the conclusion hangs on
  // What was left out of the scenario for a quick run, a line each.
  std::vector<std::string> quick = {};
  std::string part_of = {};  // the command that goes on with it; empty: it is no part of another
  exporting::TraceRequest trace;
  HardwareArguments hardware;
};

struct ReproduceArguments {
  std::string what;  // PAPER or PAPER/EXPERIMENT, below scenarios/papers; empty: all papers
  RunArguments run;  // out: the directory that holds one directory per experiment
  // Shorter windows and fewer points; conclusions are not asked what they hang on.
  bool quick = false;
  std::string predictions;  // the directory for them; empty: OUT/predictions
};

struct CalibrateArguments {
  std::string fit = "connectx-5";  // a file, or a name under models/fits/
  std::string out;                 // directory for the page; empty: stdout
  std::string data;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
  bool json = false;
  bool quiet = false;
};

struct ExploreArguments {
  explore::Campaign campaign;  // but for what follows
  std::string placement = "both";
  std::string extents;     // empty: whole locks
  bool as_asked = false;   // several locks are not taken in their order
  std::string crash_unit;  // empty: the protocol's
  std::string strategy = "exhaustive";
  std::string budget;
  std::vector<std::string> latencies;
  std::string hold, patience, horizon;  // empty: by the latencies
  std::string pause_length;             // empty: none
  std::string out = "traces";
  bool every_step = false;
  bool json = false;
  bool quiet = false;
};

struct NewProtocolArguments {
  std::string what = "protocol";
  std::string name;
  std::string out;  // the source tree, or the directory to make; empty: here, or NAME
  bool out_of_tree = false;
};

struct ExportArguments {
  std::string directory;  // of a finished run
  bool gnuplot = false;
  std::string data;
};

struct ReportArguments {
  std::vector<std::string> directories;
  std::string out;  // the page; empty: DIR/report.html, of several runs report.html
  std::string data;
};

struct CompareArguments {
  std::vector<std::string> directories;  // the first is what the others are measured by
  std::vector<std::string> metrics;      // beside the usual ones
  bool only = false;                     // in place of the usual ones
  bool explain = false;                  // by which constant of the model
  std::uint32_t jobs = 0;                // 0: as many as there are cores
  std::string out;                       // a page; empty: none
  std::string data;
  bool json = false;
};

struct FindArguments {
  ScenarioArguments input;
  std::string along;      // PATH=LOW..HIGH
  std::string cross;      // two labels, with a comma between
  std::string metric;     // empty: goodput
  std::string passes;     // a value of the metric; of one lock, named by `of`
  std::string of;         // a label; may be empty where the scenario has one lock
  std::string precision;  // a ratio
  std::string out;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
  bool resume = false;
  bool json = false;
  bool quiet = false;
};

struct SchemaArguments {
  bool nic = false;       // of a NIC description
  bool markdown = false;  // a page for people
};

struct ReplayArguments {
  std::string file;  // a trace that explore wrote
  bool json = false;
  std::string page;  // plays it, in a browser; empty: none
};

struct ClassroomArguments {
  std::string lesson;  // "2", "02-retry-storm"; empty: a list of them
  bool all = false;    // the site: every lesson, an index, a worksheet and a key
  std::string out = "classroom";
  std::string data;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
};

struct ExplainArguments {
  std::string name;                // empty: all there is
  std::string nic = "connectx-5";  // whose constants are shown
  std::string data;
  bool json = false;
  bool glossary = false;  // all terms, as a page
};

int run(const RunArguments& arguments);
int reproduce(const ReproduceArguments& arguments);
int node(const NodeArguments& arguments);
int calibrate(const CalibrateArguments& arguments);
int explore_protocol(const ExploreArguments& arguments);
int export_run(const ExportArguments& arguments);
int replay(const ReplayArguments& arguments);
int classroom(const ClassroomArguments& arguments);
int new_protocol(const NewProtocolArguments& arguments);
int check(const CheckArguments& arguments);
int report(const ReportArguments& arguments);
int compare_runs(const CompareArguments& arguments);
int find(const FindArguments& arguments);
int list(const std::string& what, const std::string& data, bool json);
int list_names(const std::string& what, const std::string& data);
void list_protocols(bool as_json);
int list_markdown(const std::string& what);  // the tables of docs/locks.md
int doctor(const std::string& data, bool json);
int doctor_fabric(const FabricArguments& arguments);
int schema(const SchemaArguments& arguments);
int explain(const ExplainArguments& arguments);

// ---- shared ----

// Where models/ and scenarios/ are: --data, LATCHLAB_DATA, the install prefix, the source tree.
DataDirs data_dirs(const std::string& extra);
// Names of YAML files below `folder` of the data directories, without their ending.
std::vector<std::string> names_below(const std::string& folder, const DataDirs& data);
Result<Scenario> load(const ScenarioArguments& arguments);
// Says what is wrong on stderr, and gives the code to exit with.
int complain(const Error& error, int code = kBadInput);

// Of --metric: whether results have a number of this name.
Status check_metric_option(const std::string& metric);

// Platform files are tried out before anything runs: SimGrid refuses a bad one by ending the
// process.
Status check_platform_files(const Scenario& scenario);

// Why a simulation of this point is refused whenever it runs; empty: it is not.
std::string why_not_simulated(const Point& point);

// Stands for the code that makes results: equal for equal programs.
const std::string& program_identity();
// The same with the plug-ins that are loaded.
std::string program_with_plugins();

// The factory of a backend of this build that simulates.
Result<BackendFactory> backend_factory(const std::string& name);

}  // namespace latchlab::tool
