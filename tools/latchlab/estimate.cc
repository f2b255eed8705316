#include "tools/latchlab/estimate.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace latchlab::tool {

namespace {

// Approximate CPU time to simulate one verb, and one acquisition and release by the lock's node.
constexpr double kVerbSeconds = 0.7e-6;
constexpr double kLocalSeconds = 2e-6;
// A run that detects its warm-up simulates this many windows on average: at least half a window
// before the measured one, and sometimes more.
constexpr double kAutoWindows = 1.6;
// Approximate memory.
constexpr double kProgramBytes = 32 << 20;
constexpr double kClientBytes = 8 << 10;
constexpr double kTouchedBytes = 64;  // of the lock table, per verb

// Simulated time of one repeat.
double simulated_seconds(const Point& point) {
  if (point.run.warmup || !point.faults.empty()) return run_seconds(point);
  return point.run.duration.seconds() * kAutoWindows;
}

}  // namespace

double estimate_verbs(const Point& point) {
  return estimate_load(point).verbs_s * simulated_seconds(point);
}

double estimate_verbs(const Scenario& scenario) {
  double total = 0;
  for (const Point& point : scenario.points) total += estimate_verbs(point) * point.run.repeats;
  return total;
}

double estimate_seconds(const Point& point) {
  const Load load = estimate_load(point);
  return (load.verbs_s * kVerbSeconds + load.local_s * kLocalSeconds) * simulated_seconds(point);
}

double estimate_seconds(const Scenario& scenario) {
  double total = 0;
  for (const Point& point : scenario.points) total += estimate_seconds(point) * point.run.repeats;
  return total;
}

double run_seconds(const Point& point) {
  return (point.run.earliest() + point.run.duration).seconds();
}

double estimate_mib(const Scenario& scenario) {
  double most = 0;
  for (const Point& point : scenario.points) {
    const double stride = static_cast<double>(std::max<std::uint64_t>(point.locks.stride_bytes, 8));
    const double table = static_cast<double>(point.locks.count) * stride;
    const double touched = std::min(table, estimate_verbs(point) * kTouchedBytes);
    most = std::max(most, kProgramBytes + point.platform.clients() * kClientBytes + touched);
  }
  return most / (1024 * 1024);
}

double physical_mib() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

std::uint32_t cores() {
  return std::max(1u, std::thread::hardware_concurrency());
}

Status check_memory(const Scenario& scenario) {
  const double wanted = estimate_mib(scenario);
  if (wanted <= physical_mib()) return fine();
  return Error{
      fmt::format("one run takes about {:.0f} MiB, and this machine has {:.0f}; have fewer "
                  "clients, locks or a shorter run, or say --beyond-memory to run",
                  wanted, physical_mib()),
      scenario.file};
}

std::size_t repeats_of(const Scenario& scenario) {
  std::size_t all = 0;
  for (const Point& point : scenario.points) all += point.run.repeats;
  return all;
}

}  // namespace latchlab::tool
