#pragma once
// Times of a wall clock on the command line.

#include <string>

#include "core/base/result.h"

namespace latchlab::tool {

// Seconds, from a duration of scenarios such as 90s, or minutes or hours such as 10m and 1h.
Result<double> parse_budget(const std::string& text);

}  // namespace latchlab::tool
