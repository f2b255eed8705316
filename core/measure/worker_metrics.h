#pragma once
// What the threads and clocks of a run on hardware say of its numbers.

#include <string>

#include "core/measure/share.h"

namespace latchlab {

void add_workers(MeasuredShare& sum, const MeasuredShare& share);
// Nothing where there are no such threads.
void write_workers(const MeasuredShare& share, RepeatMetrics& metrics);
// Why what a share says of its workers cannot be, such as cycles that nobody was busy with; empty:
// it can.
std::string why_not_workers(const MeasuredShare& share);

}  // namespace latchlab
