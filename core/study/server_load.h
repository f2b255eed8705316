#pragma once
// How busy the busiest server was, as metrics.

#include "core/base/time.h"
#include "core/measure/metrics.h"
#include "core/world/backend.h"

namespace latchlab {

// Over a window of this length; nothing where nobody measured.
RepeatMetrics::ServerNic nic_metrics(const NicStats& stats, Duration window);
RepeatMetrics::ServerCpu cpu_metrics(const CpuStats& stats, Duration window);

}  // namespace latchlab
