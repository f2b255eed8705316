#pragma once
// The simulated world of a scenario's point.

#include "backends/simgrid/simgrid_backend.h"
#include "core/scenario/scenario.h"

namespace latchlab {

SimgridOptions simgrid_options(const Point& point);

}  // namespace latchlab
