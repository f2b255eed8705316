// The measurements of a MeasuringObserver at the end of the window.

#include "core/base/check.h"
#include "core/run/measuring.h"

namespace latchlab {
namespace {

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

}  // namespace

void MeasuringObserver::count_clients(PartialMetrics& share) const {
  const bool ended_early = backend_.true_now() < window_start_ + window_;
  for (const ClientId client : measured_) {
    const Meter& meter = meters_[client.value];
    if (meter.crashed) continue;
    ++share.live_clients;
    const bool waiting = meter.trying || meter.upgrading || meter.releasing;
    if (waiting && !ended_early && meter.begun < window_start_) ++share.without_progress;
  }
}

void MeasuringObserver::write_process(PartialMetrics& share) const {
  share.ended_ps = static_cast<std::uint64_t>(backend_.true_now().ps);
  if (worker_ != 0) return;
  share.background_verbs = background_tally();
  share.background_verbs -= background_before_;
  share.verbs_posted = backend_.census().posted;
  share.events = backend_.events();
  share.server_nic = nic_metrics(backend_.busiest_server(), window_);
  share.server_cpu = cpu_metrics(backend_.busiest_cpu(), window_);
  share.client_cpu = cpu_metrics(backend_.client_cpus(), window_).utilisation;
}

PartialMetrics MeasuringObserver::share() const {
  PartialMetrics share;
  share.saw_everything = sees_everything_;
  recorder_.write_to(share);
  LATCHLAB_CHECK(share.law.holds(), "the window's law does not hold");
  count_clients(share);
  share.read_phases = counted_.read;
  share.write_phases = counted_.write;
  share.release_phases = counted_.release;
  share.reads_waited = counted_.read_waited;
  share.writes_waited = counted_.write_waited;
  static_cast<Counters&>(share) = counted_;
  for (const VerbTally& group : counted_.cycles) share.cycle_verbs += group;
  if (recorder_.measures_groups()) share.group_verbs = counted_.cycles;
  share.acquisitions = counted_.acquisitions;
  share.transaction = counted_.transaction;
  share.given_back = counted_.given_back;
  share.recoveries = recoveries() - recoveries_before_;
  const SafetyCounts& safety = monitor_.counts();
  share.checks = safety.checks;
  share.violations = safety.violations;
  share.expired_holds = safety.expired_holds;
  share.late_effects = safety.late_effects;
  share.violation = violation_;
  share.max_bypassed = monitor_.max_bypassed();
  if (sees_everything_) share.fingerprint = backend_.fingerprint().text();
  write_process(share);
  return share;
}

}  // namespace latchlab
