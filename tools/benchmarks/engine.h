#pragma once
// `latchlab-bench engine`: what a simulated verb costs, against what it could cost at the least and
// against SimGrid alone; and what an idle client costs in memory.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/benchmarks/counts.h"

namespace latchlab::bench {

struct EngineOptions {
  std::uint32_t repeats = 3;
  bool quick = false;  // does everything once and briefly: shows that it works, not how fast
};

// Medians over the repeats.
struct EngineLine {
  std::uint32_t clients = 0;
  std::string subject;   // floor, simgrid-timers, simgrid-program, cas, shiftlock
  std::string workload;  // hold, uniform, zipf
  std::optional<double> events_per_verb;
  double ns = 0;                            // CPU time per verb; of the hold model: per event
  double floor_events = 0;                  // ns over the floor's ns at the same number of clients
  std::optional<double> most_floor_events;  // the goal
  std::vector<double> ns_of_repeats;
  std::optional<VerbCounts> counts;  // of locks, up to 4,000 clients
};

// How many times less CPU a verb of our CAS lock takes than one of the plain SimGrid program.
struct SpeedUp {
  std::uint32_t clients = 0;
  double factor = 0;
  double least = 0;  // the goal
};

struct IdleMemory {
  std::string protocol;
  std::uint32_t nodes = 0;  // with clients
  std::uint32_t few = 0, many = 0;
  double bytes_per_client = 0;  // slope between them
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
