#pragma once
// Injects a scenario's pauses, slow CPUs and clock changes.

#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Why this backend cannot inject the point's faults; empty: it can.
std::string cpu_faults_refused(const Point& point, Faults& faults);

// Schedules the faults on the backend, which must not outlive the world. Faults of nodes that this
// backend does not host are skipped. Random times are drawn from `seed` and lie before `end`.
void schedule_cpu_faults(const Point& point, const World& world, Backend& backend,
                         std::uint64_t seed, Time end);

}  // namespace latchlab
