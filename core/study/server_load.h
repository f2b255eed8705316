#pragma once
// Load metrics of the busiest server.

#include "core/base/time.h"
#include "core/measure/metrics.h"
#include "core/world/backend.h"

namespace latchlab {

// `window`: length of the measurement. Empty if the backend did not measure the load.
RepeatMetrics::ServerNic nic_metrics(const NicStats& stats, Duration window);
RepeatMetrics::ServerCpu cpu_metrics(const CpuStats& stats, Duration window);

}  // namespace latchlab
