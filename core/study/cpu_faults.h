#pragma once
// Carries out a scenario's pauses, slow CPUs and disturbed clocks.

#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Why this backend cannot carry out the point's faults; empty: it can.
std::string cpu_faults_refused(const Point& point, Faults& faults);

// Puts them on the agenda of the backend, which the world outlives; what happens to nodes that it
// does not host happens elsewhere. Random dates come from `seed` and lie before `end`.
void schedule_cpu_faults(const Point& point, const World& world, Backend& backend,
                         std::uint64_t seed, Time end);

}  // namespace latchlab
