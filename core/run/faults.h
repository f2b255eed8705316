#pragma once
// Injects a scenario's faults: pauses, slow CPUs and clock changes; node crashes and link failures.

#include <cstdint>
#include <string>

#include "core/run/observers.h"
#include "core/scenario/scenario.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Why this backend cannot inject the point's faults; empty: it can.
std::string cpu_faults_refused(const Point& point, Faults& faults);

// Schedules pauses, slow CPUs and clock changes on the backend, which must not outlive the world.
// Faults of nodes that this backend does not host are skipped. Random times are drawn from `seed`
// and lie before `end`.
void schedule_cpu_faults(const Point& point, const World& world, Backend& backend,
                         std::uint64_t seed, Time end);

// Schedules node crashes and link failures on the backend, which must support them if the point has
// any. All arguments must outlive the run. The world restarts a server that returns.
void schedule_hardware_faults(const Point& point, World& world, Backend& backend,
                              WorkerObservers& observers);

}  // namespace latchlab
