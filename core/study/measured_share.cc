// The measurements of a MeasuringObserver at the end of the window.

#include "core/base/check.h"
#include "core/study/measuring.h"
#include "core/study/server_load.h"

namespace latchlab {

void MeasuringObserver::count_clients(MeasuredShare& share) const {
  const bool ended_early = backend_.true_now() < window_start_ + window_;
  for (const ClientId client : measured_) {
    const Meter& meter = meters_[client.value];
    if (meter.crashed) continue;
    ++share.live_clients;
    const bool waiting = meter.trying || meter.upgrading || meter.releasing;
    if (waiting && !ended_early && meter.begun < window_start_) ++share.without_progress;
  }
}

void MeasuringObserver::write_process(MeasuredShare& share) const {
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

MeasuredShare MeasuringObserver::share() const {
  MeasuredShare share;
  share.saw_everything = sees_everything_;
  recorder_.write_to(share);
  LATCHLAB_CHECK(share.law.holds(), "the window's law does not hold");
  count_clients(share);
  share.read_phases = counted_.read;
  share.write_phases = counted_.write;
  share.release_phases = counted_.release;
  share.reads_waited = counted_.read_waited;
  share.writes_waited = counted_.write_waited;
  share.cycle_verbs = counted_.cycles;
  share.acquisitions = counted_.acquisitions;
  share.aborted = counted_.aborted;
  share.shared_as_exclusive = counted_.as_exclusive[static_cast<std::size_t>(LockMode::shared)];
  share.update_as_exclusive = counted_.as_exclusive[static_cast<std::size_t>(LockMode::update)];
  share.ranges_as_whole = counted_.ranges_as_whole;
  share.false_conflicts = counted_.false_conflicts;
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
