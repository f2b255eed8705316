#include "core/runner/measuring.h"

#include <algorithm>
#include <utility>

#include "core/base/prefetch.h"
#include "core/measure/statistics.h"

namespace latchlab {

namespace {

// Kinds of semantic events besides those of the backend.
constexpr std::uint64_t kGranted = 0x10001;
constexpr std::uint64_t kReleased = 0x10002;

std::uint64_t recoveries_of(const World& world) {
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < world.shape().clients(); ++i)
    total += world.client(ClientId{i}).recoveries();
  return total;
}

}  // namespace

// ---- one client's stopwatch ----

void MeasuringObserver::Meter::mark(Phase phase) {
  const Time now = backend->true_now();
  spent[static_cast<std::size_t>(current)] += now - since;
  current = phase;
  since = now;
}

void MeasuringObserver::Meter::restart(Time now) {
  spent = {};
  current = Phase::other;
  since = begun = now;
}

Duration MeasuringObserver::Meter::stop(Time now) {
  mark(Phase::other);
  return now - begun;
}

// ---- the observer ----

MeasuringObserver::MeasuringObserver(const World& world, Backend& backend, Time window_start,
                                     Duration window, OnViolation on_violation)
    : world_(world),
      backend_(backend),
      window_start_(window_start),
      window_(window),
      on_violation_(on_violation),
      recorder_(world.shape().clients(), window_start, window),
      monitor_(world.shape().clients(), *this),
      meters_(world.shape().clients()) {}

void MeasuringObserver::watch_clients() {
  for (std::uint32_t i = 0; i < world_.shape().clients(); ++i) {
    meters_[i].backend = &backend_;
    Verbs& verbs = world_.verbs(ClientId{i});
    verbs.measure_phases(&meters_[i]);
    monitor_.watch(ClientId{i}, verbs.first_effect());
  }
}

VerbTally MeasuringObserver::background_tally() const {
  VerbTally total;
  for (Verbs* actor : world_.background_actors()) total += actor->tally();
  return total;
}

void MeasuringObserver::window_opens() {
  backend_.reset_stats();
  background_before_ = background_tally();
  recoveries_before_ = recoveries_of(world_);
}

void MeasuringObserver::prefetch_client(ClientId client) const {
  prefetch(meters_[client.value]);
  recorder_.prefetch_client(client);
  monitor_.prefetch_client(client);
}

void MeasuringObserver::client_crashed(ClientId client) {
  meters_[client.value].crashed = true;
  monitor_.crashed(client);
}

std::uint32_t MeasuringObserver::clients_without_progress() const {
  if (backend_.true_now() < window_start_ + window_) return 0;  // the run ended early
  return static_cast<std::uint32_t>(
      std::count_if(meters_.begin(), meters_.end(), [this](const Meter& meter) {
        const bool waiting = meter.trying || meter.releasing;
        return waiting && !meter.crashed && meter.begun < window_start_;
      }));
}

std::uint32_t MeasuringObserver::live_clients() const {
  return static_cast<std::uint32_t>(std::count_if(
      meters_.begin(), meters_.end(), [](const Meter& meter) { return !meter.crashed; }));
}

void MeasuringObserver::note(std::uint64_t what, ClientId client, const Grant& grant) {
  backend_.fingerprint().add({static_cast<std::uint64_t>(backend_.true_now().ps), what,
                              client.value, grant.lock.id.value,
                              static_cast<std::uint64_t>(grant.mode)});
}

void MeasuringObserver::cycle_begins(ClientId client) {
  Meter& meter = meters_[client.value];
  const Time now = backend_.true_now();
  ActorTally& tally = world_.verbs(client).tally();
  const std::uint64_t before = recorder_.counted_cycles();
  recorder_.next_cycle(client, now);
  if (recorder_.counted_cycles() != before) {
    cycles_ += tally;
    acquisitions_.atomics += meter.atomics_in_acquire;
    acquisitions_.mismatched += meter.mismatched_in_acquire;
  }
  tally = {};
  meter.atomics_in_acquire = meter.mismatched_in_acquire = 0;
}

void MeasuringObserver::acquire_begins(ClientId client, const ClientOperation& operation) {
  Meter& meter = meters_[client.value];
  Verbs& verbs = world_.verbs(client);
  if (!std::exchange(meter.trying, true)) {
    meter.restart(backend_.true_now());
    meter.asked = operation.mode;
    meter.atomics_at_acquire = verbs.tally().atomics();
    meter.mismatched_at_acquire = verbs.tally().mismatched;
  }
  verbs.first_effect().armed = true;
  monitor_.requested(client, operation.lock.id, operation.mode);
}

void MeasuringObserver::acquire_aborted(ClientId client, AbortReason reason) {
  monitor_.withdrawn(client);
  if (recorder_.counts(backend_.true_now())) ++aborted_;
  if (reason == AbortReason::deadline) meters_[client.value].trying = false;
}

void MeasuringObserver::acquired(ClientId client, const Grant& grant) {
  Meter& meter = meters_[client.value];
  const Time now = backend_.true_now();
  const bool shared = meter.asked == LockMode::shared;
  meter.trying = false;
  const ActorTally& tally = world_.verbs(client).tally();
  meter.atomics_in_acquire += tally.atomics() - meter.atomics_at_acquire;
  meter.mismatched_in_acquire += tally.mismatched - meter.mismatched_at_acquire;
  recorder_.acquired(now, meter.stop(now), shared);
  if (recorder_.counts(now)) {
    (shared ? read_ : write_).add(meter.spent);
    if (shared && grant.mode == LockMode::exclusive) ++shared_as_exclusive_;
  }
  note(kGranted, client, grant);
  if (monitor_.granted(client, grant)) return;
  if (violation_.empty()) violation_ = monitor_.describe_violation();
  if (on_violation_ == OnViolation::stop) backend_.request_stop();
}

void MeasuringObserver::release_begins(ClientId client, const Grant& grant) {
  monitor_.releasing(client, grant.lock.id);
  meters_[client.value].restart(backend_.true_now());
  meters_[client.value].releasing = true;
}

void MeasuringObserver::released(ClientId client, const Grant& grant, ReleaseResult result) {
  Meter& meter = meters_[client.value];
  const Time now = backend_.true_now();
  meter.releasing = false;
  recorder_.released(now, meter.stop(now));
  if (recorder_.counts(now)) release_.add(meter.spent);
  monitor_.released(client, result);
  note(kReleased, client, grant);
}

void MeasuringObserver::release_skipped(ClientId client, const Grant& grant) {
  monitor_.releasing(client, grant.lock.id);
}

// ---- results ----

void MeasuringObserver::write_nic(RepeatMetrics& metrics) const {
  const NicStats stats = backend_.busiest_server();
  if (!stats.measured) return;
  const auto share = [this](Duration busy) {
    return static_cast<double>(busy.ps) / static_cast<double>(window_.ps);
  };
  metrics.server_nic.verbs_s = static_cast<double>(stats.verbs) / window_.seconds();
  metrics.server_nic.pipeline = share(stats.pipeline_busy);
  metrics.server_nic.hottest_slot = share(stats.hottest_slot_busy);
  metrics.server_nic.window = share(stats.window_full);
  metrics.server_nic.link = share(stats.link_busy);
  if (stats.slot_waits > 0)
    metrics.server_nic.slot_wait_ns =
        stats.slot_wait_total.nanoseconds() / static_cast<double>(stats.slot_waits);
}

RepeatMetrics MeasuringObserver::metrics() const {
  RepeatMetrics metrics;
  recorder_.write_to(metrics);
  write_verb_metrics(cycles_, acquisitions_, recorder_.counted_cycles(), metrics);
  VerbTally background = background_tally();
  background -= background_before_;
  metrics.background_verbs_s =
      static_cast<double>(background.one_sided() + background.sends) / window_.seconds();
  metrics.phases.read = read_;
  metrics.phases.write = write_;
  metrics.phases.release = release_;
  write_nic(metrics);
  const SafetyCounts& safety = monitor_.counts();
  metrics.safety = {safety.checks, safety.violations, safety.expired_holds, safety.late_effects};
  metrics.fairness.max_bypassed = monitor_.max_bypassed();
  metrics.recoveries = recoveries_of(world_) - recoveries_before_;
  metrics.aborted_acquisitions = aborted_;
  metrics.shared_as_exclusive = shared_as_exclusive_;
  metrics.engine.verbs = backend_.census().posted;
  metrics.engine.events = backend_.events();
  metrics.engine.simulated_s = Duration{backend_.true_now().ps}.seconds();
  metrics.fingerprint = backend_.fingerprint().text();
  return metrics;
}

}  // namespace latchlab
