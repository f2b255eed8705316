#include "core/study/server_load.h"

namespace latchlab {

RepeatMetrics::ServerNic nic_metrics(const NicStats& stats, Duration window) {
  if (!stats.measured) return {};
  const auto share = [window](Duration busy) {
    return static_cast<double>(busy.ps) / static_cast<double>(window.ps);
  };
  RepeatMetrics::ServerNic nic;
  nic.verbs_s = static_cast<double>(stats.verbs) / window.seconds();
  nic.pipeline = share(stats.pipeline_busy);
  nic.hottest_slot = share(stats.hottest_slot_busy);
  nic.window = share(stats.window_full);
  nic.link = share(stats.link_busy);
  if (stats.slot_waits > 0)
    nic.slot_wait_ns = stats.slot_wait_total.nanoseconds() / static_cast<double>(stats.slot_waits);
  return nic;
}

RepeatMetrics::ServerCpu cpu_metrics(const CpuStats& stats, Duration window) {
  if (stats.cores == 0) return {};
  const auto capacity_ps = static_cast<double>(stats.cores) * static_cast<double>(window.ps);
  RepeatMetrics::ServerCpu cpu;
  cpu.utilisation = static_cast<double>(stats.busy.ps) / capacity_ps;
  if (stats.starts > 0)
    cpu.queue_ns = stats.queued.nanoseconds() / static_cast<double>(stats.starts);
  return cpu;
}

}  // namespace latchlab
