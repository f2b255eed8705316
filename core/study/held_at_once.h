#pragma once
// Lock requirements of a point's sections, known before the run.

#include <cstdint>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// The largest number of locks that a section holds at once. Reads the point's traces completely; an
// error in a trace names its line.
Result<std::uint32_t> held_at_once(const Point& point);

}  // namespace latchlab
