#pragma once
// The benchmarks that a NIC's constants are measured with: data, and the scenario that runs them.
// Each point is a run of verb_probe (probe.h); what it tells is said in identities.h.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace latchlab {

struct ProbeGroup {
  std::uint32_t nodes = 1;
  std::uint32_t clients = 1;  // on each
};

struct ProbePoint {
  std::string label;  // "read_64", "read_rate"
  std::string probe;  // parameters of verb_probe: "verb: read, bytes: 64"
  // Client nodes. What is timed is what clients of the first group do.
  std::vector<ProbeGroup> groups = {{}};
  std::uint32_t outstanding = 1;  // verbs of an acquisition
  std::uint32_t servers = 1;
  bool loopback = false;     // the one client node is the server
  bool one_core = false;     // the clients of a node share a core
  bool device = false;       // the addresses lie in the memory of the server's NIC
  std::uint32_t cycles = 1;  // the window's length, in kSpan

  std::uint32_t nodes() const;
};

// Of a window in a simulation: some hundred cycles of one client, or thousands of verbs of many.
// On hardware windows are kHardwareSpans times as long, for the sake of its clocks and
// disturbances.
inline constexpr int kSpanUs = 200;
inline constexpr int kHardwareSpans = 250;

struct Benchmark {
  std::string name;  // of --without
  std::string what;  // one line
  std::vector<ProbePoint> points;
  bool slow = false;  // left out by --quick
};

const std::vector<Benchmark>& benchmarks();
std::vector<std::string> benchmark_names();
const Benchmark* benchmark_of(const std::string& label);  // of a point; null: there is none

// A rate is one of the RNIC under test, and not of those that ask it, if it does not grow when
// there are more of these: each rate is measured from three client nodes and, as LABEL_fewer, from
// two.
inline constexpr const char* kFewer = "_fewer";

struct MeasureOptions {
  std::string nic = "connectx-5";  // a name or a path: what a simulation simulates
  std::set<std::string> without;   // names of benchmarks
  std::set<std::string> not_here;  // labels of points that cannot be measured here
  std::uint32_t repeats = 8;
  std::uint64_t seed = 1;
  int spans = 1;  // kHardwareSpans on hardware
  bool quick = false;
};

// The scenario that runs what is left, as YAML.
std::string measuring_scenario(const MeasureOptions& options);

}  // namespace latchlab
