#pragma once
// What is allowed but probably not meant.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab {

// Warnings about the time that the protocols of these points need, one line each, no repeats.
std::vector<std::string> time_warnings(const std::vector<Point>& points,
                                       const std::vector<ProtocolInfo>& protocols);

}  // namespace latchlab
