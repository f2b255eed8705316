#pragma once
// The commands of the tool. Each returns the process's exit code: 0 success; 1 a lock violated a
// guarantee, a point failed or a required figure was missed; 2 bad input; 3 the backend or this
// build cannot do it; 130 interrupted.

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

struct FabricArguments {
  HardwareArguments hardware;
  std::uint32_t nodes = 0;  // 0: the processes that MPI started, or derived from the addresses
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
  bool beyond_memory = false;  // runs even if the estimate exceeds this machine's memory
  bool resume = false;         // continues the incomplete run in the directory
  bool sensitivity = false;    // analyses how the conclusion depends on constants of the model
  // The parts of the scenario that a quick run omits, one line each.
  std::vector<std::string> quick = {};
  std::string part_of = {};  // the command that resumes the enclosing command; empty: none
  exporting::TraceRequest trace;
  HardwareArguments hardware;
};

struct ReproduceArguments {
  std::string what;  // PAPER or PAPER/EXPERIMENT, below scenarios/papers; empty: all papers
  RunArguments run;  // out: the directory that holds one directory per experiment
  // Shorter windows, fewer points and no sensitivity analysis.
  bool quick = false;
  std::string predictions;  // output directory; empty: OUT/predictions
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
  explore::Campaign campaign;  // without the fields that the options below set
  std::string placement = "both";
  std::string extents;     // empty: whole locks
  bool as_asked = false;   // a client acquires several locks in the given, not ascending, order
  std::string crash_unit;  // empty: the protocol's default
  std::string strategy = "exhaustive";
  std::string budget;
  std::vector<std::string> latencies;
  std::string hold, patience, horizon;  // empty: derived from the latencies
  std::string pause_length;             // empty: none
  std::string out = "traces";
  bool every_step = false;
  bool json = false;
  bool quiet = false;
};

struct NewProtocolArguments {
  std::string what = "protocol";
  std::string name;
  // The source tree, or with `out_of_tree` the directory to create; empty: the current directory,
  // or NAME.
  std::string out;
  bool out_of_tree = false;
};

struct ExportArguments {
  std::string directory;  // of a finished run
  bool gnuplot = false;
  std::string data;
};

struct ReportArguments {
  std::vector<std::string> directories;
  std::string out;  // the page; empty: DIR/report.html, or report.html for several runs
  std::string data;
};

struct CompareArguments {
  std::vector<std::string> directories;  // the first is the baseline
  std::vector<std::string> metrics;      // in addition to the default metrics
  bool only = false;                     // `metrics` replace the default metrics
  bool explain = false;                  // find the constant of the model that explains them
  std::uint32_t jobs = 0;                // 0: as many as there are cores
  std::string out;                       // a page; empty: none
  std::string data;
  bool json = false;
};

struct FindArguments {
  ScenarioArguments input;
  std::string along;      // PATH=LOW..HIGH
  std::string cross;      // two labels, separated by a comma
  std::string metric;     // empty: goodput
  std::string passes;     // a value of the metric of the lock `of`
  std::string of;         // a label; may be empty where the scenario has one lock
  std::string precision;  // a ratio
  std::string out;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
  bool resume = false;
  bool json = false;
  bool quiet = false;
};

struct SchemaArguments {
  bool nic = false;       // the schema of a NIC description, not of a scenario
  bool markdown = false;  // a Markdown page, not JSON
};

struct ReplayArguments {
  std::string file;  // a trace that explore wrote
  bool json = false;
  std::string page;  // output page that animates the trace; empty: none
};

struct ClassroomArguments {
  std::string lesson;  // "2", "02-retry-storm"; empty: list the lessons
  bool all = false;    // the site: every lesson, an index, a worksheet and a key
  std::string out = "classroom";
  std::string data;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
};

struct ExplainArguments {
  std::string name;                // empty: list all topics
  std::string nic = "connectx-5";  // the NIC whose constants are shown
  std::string data;
  bool json = false;
  bool glossary = false;  // print all terms as a page
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

// Directories with models/ and scenarios/, in order of precedence: --data, LATCHLAB_DATA, the
// install prefix, the source tree.
DataDirs data_dirs(const std::string& extra);
// Names of the YAML files below `folder` of the data directories, without their extension.
std::vector<std::string> names_below(const std::string& folder, const DataDirs& data);
Result<Scenario> load(const ScenarioArguments& arguments);
// Prints the error on stderr and returns `code`.
int complain(const Error& error, int code = kBadInput);

// Checks the value of --metric: an error unless results have a number of this name.
Status check_metric_option(const std::string& metric);

// Loads each platform file in a child process before anything runs, because SimGrid ends the
// process if a file is bad.
Status check_platform_files(const Scenario& scenario);

// The reason why no simulation of this point can run; empty: none.
std::string why_not_simulated(const Point& point);

// Identifies the code that produces results: equal for equal program files.
const std::string& program_identity();
// program_identity() combined with the loaded plug-ins.
std::string program_with_plugins();

// The factory of a simulating backend of this build.
Result<BackendFactory> backend_factory(const std::string& name);

}  // namespace latchlab::tool
