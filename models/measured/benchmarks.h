#pragma once
// The benchmarks that measure a NIC's constants, as data, and the scenario that runs them. Each
// point is a run of verb_probe (probe.h); equations.h states what it measures.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace latchlab {

struct ProbeGroup {
  std::uint32_t nodes = 1;
  std::uint32_t clients = 1;  // per node
};

struct ProbePoint {
  std::string label;  // "read_64", "read_rate"
  std::string probe;  // parameters of verb_probe: "verb: read, bytes: 64"
  // Client nodes. The clients of the first group are timed.
  std::vector<ProbeGroup> groups = {{}};
  std::uint32_t outstanding = 1;  // verbs per acquisition
  std::uint32_t servers = 1;
  bool loopback = false;     // the only client node is also the server
  bool one_core = false;     // the clients of a node share a core
  bool by_event = false;     // clients sleep until a completion raises an event
  bool device = false;       // the addresses are in the memory of the server's NIC
  std::uint32_t cycles = 1;  // length of the window, in multiples of kSpanUs

  std::uint32_t nodes() const;
};

// Length of a window in a simulation: some hundred cycles of one client, or thousands of verbs of
// many clients. Windows on hardware are kHardwareSpans times as long, to average out disturbances
// and the clock's resolution.
inline constexpr int kSpanUs = 200;
inline constexpr int kHardwareSpans = 250;

struct Benchmark {
  std::string name;  // as in --without
  std::string what;  // one line
  // Constants of a NIC that stay open without it. Several benchmarks may tell one constant, and
  // then none of them is needed.
  std::vector<std::string> needed_for;
  std::vector<ProbePoint> points;
  bool slow = false;  // omitted by --quick
};

const std::vector<Benchmark>& benchmarks();
std::vector<std::string> benchmark_names();
const Benchmark* benchmark_of(const std::string& label);  // the benchmark of a point; null: none
// The names of those that a constant needs; empty: nothing measures it.
std::vector<std::string> benchmarks_for(const std::string& constant);

// A rate is attributed to the RNIC under test, and not to its clients, if it does not grow with
// more clients: each rate is also measured with fewer clients, as LABEL_fewer.
inline constexpr const char* kFewer = "_fewer";

struct MeasureOptions {
  std::string nic = "connectx-5";  // a name or a path: the NIC that a simulation uses
  std::set<std::string> without;   // names of benchmarks
  std::set<std::string> not_here;  // labels of points that this machine cannot measure
  std::uint32_t repeats = 8;
  std::uint64_t seed = 1;
  int spans = 1;  // kHardwareSpans on hardware
  bool quick = false;
};

// The scenario that runs the remaining benchmarks, as YAML.
std::string measuring_scenario(const MeasureOptions& options);

}  // namespace latchlab
