#pragma once
// `latchlab-bench engine`: CPU time per simulated verb, compared with a minimal event loop (the
// floor) and with plain SimGrid programs, and memory per idle client.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/benchmarks/counts.h"

namespace latchlab::bench {

struct EngineOptions {
  std::uint32_t repeats = 3;
  bool quick = false;  // one short round: tests the benchmark, its numbers mean nothing
};

// Medians over the repeats.
struct EngineLine {
  std::uint32_t clients = 0;
  std::string subject;   // floor, simgrid-timers, simgrid-program, cas, shiftlock
  std::string workload;  // hold, uniform, zipf
  std::optional<double> events_per_verb;
  double ns = 0;                            // CPU time per verb; hold model: per event
  double floor_events = 0;                  // ns / the floor's ns at the same number of clients
  std::optional<double> most_floor_events;  // the goal
  std::vector<double> ns_of_repeats;
  std::optional<VerbCounts> counts;  // only for locks, with up to 4,000 clients
};

// CPU time per verb of the plain SimGrid program divided by that of Latchlab's CAS lock.
struct SpeedUp {
  std::uint32_t clients = 0;
  double factor = 0;
  double least = 0;  // the goal
};

struct IdleMemory {
  std::string protocol;
  std::uint32_t nodes = 0;  // with clients
  std::uint32_t few = 0, many = 0;
  double bytes_per_client = 0;  // slope between `few` and `many` clients
  double most = 0;              // the goal
};

struct EngineReport {
  EngineOptions options;
  std::vector<EngineLine> lines;
  std::vector<SpeedUp> speed_ups;
  std::vector<IdleMemory> memory;
};

Result<EngineReport> run_engine_benchmark(const EngineOptions& options);

std::string report_text(const EngineReport& report);
std::string report_json(const EngineReport& report);

}  // namespace latchlab::bench
