#pragma once
// What the sections of a point ask of its lock, known before anything runs.

#include <cstdint>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// The most locks that a section holds at once. Reads the traces that the point names, to their
// ends: what is wrong with one is an error that names its line.
Result<std::uint32_t> held_at_once(const Point& point);

}  // namespace latchlab
