#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab::tool {

// The most locks that a section of the point holds at once. Each trace is read once, and what is
// wrong with it is the error.
Result<std::uint32_t> locks_held(const Point& point);

}  // namespace latchlab::tool
