#pragma once
// Carries out a scenario's crashes of nodes and cuts of links.

#include "core/scenario/scenario.h"
#include "core/study/observers.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Puts them on the agenda of the backend, which has such faults if there are any. All of these
// outlive the run. A server that comes back is started by the world.
void schedule_hardware_faults(const Point& point, World& world, Backend& backend,
                              WorkerObservers& observers);

}  // namespace latchlab
