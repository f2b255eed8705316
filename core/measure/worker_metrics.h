#pragma once
// What the threads and clocks of a run on hardware contribute to its metrics.

#include <string>

#include "core/measure/partial_metrics.h"

namespace latchlab {

void add_workers(PartialMetrics& sum, const PartialMetrics& share);
// No effect if there are no such threads.
void write_workers(const PartialMetrics& share, RepeatMetrics& metrics);
// Why a share's numbers about its workers are inconsistent, such as cycles although no worker was
// busy; empty: they are consistent.
std::string why_not_workers(const PartialMetrics& share);

}  // namespace latchlab
