#pragma once
// Injects a scenario's node crashes and link failures.

#include "core/scenario/scenario.h"
#include "core/study/observers.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Schedules the faults on the backend, which must support them if the point has any. All arguments
// must outlive the run. The world restarts a server that returns.
void schedule_hardware_faults(const Point& point, World& world, Backend& backend,
                              WorkerObservers& observers);

}  // namespace latchlab
