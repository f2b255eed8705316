#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab::tool {

// The maximum number of locks that a critical section of the point holds at once. Reads each trace
// only once per process. Error: the trace is invalid.
Result<std::uint32_t> locks_held(const Point& point);

}  // namespace latchlab::tool
