#include "core/run/measuring.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/prefetch.h"

namespace latchlab {

namespace {

// Kinds of semantic events, in addition to the backend's.
constexpr std::uint64_t kGranted = 0x10001;
constexpr std::uint64_t kReleased = 0x10002;
constexpr std::uint64_t kUpgraded = 0x10003;
constexpr std::uint64_t kExtended = 0x10004;

std::vector<ClientId> clients_of(const World& world, const Hosting& backend, std::uint32_t worker) {
  std::vector<ClientId> clients;
  clients.reserve(world.world_shape().clients());
  for (std::uint32_t i = 0; i < world.world_shape().clients(); ++i)
    if (world.hosts(ClientId{i}) && backend.worker_of(ClientId{i}) == worker)
      clients.push_back(ClientId{i});
  return clients;
}

}  // namespace

MeasuringObserver::MeasuringObserver(const World& world, Backend& backend, std::uint32_t worker,
                                     Time window_start, Duration window, OnViolation on_violation)
    : world_(world),
      backend_(backend),
      worker_(worker),
      measured_(clients_of(world, backend, worker)),
      sees_everything_(backend.sees_all_effects() && backend.workers() == 1 &&
                       measured_.size() == world.world_shape().clients()),
      window_start_(window_start),
      window_(window),
      on_violation_(on_violation),
      recorder_(world.world_shape().clients(), measured_, window_start, window),
      monitor_(world.world_shape().clients(), *this),
      meters_(world.world_shape().clients()) {}

void MeasuringObserver::watch_clients() {
  for (const ClientId client : measured_) {
    Meter& meter = meters_[client.value];
    meter.clock = &backend_;
    meter.recorder = &recorder_;
    Verbs& verbs = world_.verbs(client);
    verbs.measure_phases(&meter);
    verbs.first_effect().listener = &monitor_;
  }
}

// The backend owns the Verbs objects and may outlive this observer.
MeasuringObserver::~MeasuringObserver() {
  for (const ClientId client : measured_) {
    world_.verbs(client).measure_phases(nullptr);
    world_.verbs(client).first_effect().listener = nullptr;
  }
}

void MeasuringObserver::measure_groups(std::size_t groups, std::vector<std::uint8_t> of_clients) {
  counted_.cycles.resize(groups);
  recorder_.measure_groups(groups, std::move(of_clients));
}

VerbTally MeasuringObserver::background_tally() const {
  VerbTally total;
  for (Verbs* actor : world_.background_actors()) total += actor->tally();
  return total;
}

void MeasuringObserver::window_opens() {
  recoveries_before_ = recoveries();
  if (worker_ != 0) return;
  backend_.reset_stats();
  background_before_ = background_tally();
}

void MeasuringObserver::measure_anew() {
  window_start_ = backend_.true_now();
  recorder_.open(window_start_);
  const std::size_t groups = counted_.cycles.size();
  counted_ = {};
  counted_.cycles.resize(groups);
  window_opens();
}

std::uint64_t MeasuringObserver::recoveries() const {
  std::uint64_t total = 0;
  for (const ClientId client : measured_) total += world_.client(client).recoveries();
  return total;
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

void MeasuringObserver::note(Time now, std::uint64_t what, ClientId client, const Grant& grant) {
  if (!sees_everything_) return;
  backend_.fingerprint().add(
      static_cast<std::uint64_t>(now.ps),
      {what, client.value, grant.lock.id.value, static_cast<std::uint64_t>(grant.mode)});
}

void MeasuringObserver::cycle_begins(ClientId client) {
  Meter& meter = meters_[client.value];
  const Time now = backend_.true_now();
  ActorTally& tally = world_.verbs(client).tally();
  const std::uint64_t before = recorder_.counted_cycles();
  recorder_.next_cycle(client, now);
  if (recorder_.counted_cycles() != before) {
    counted_.cycles[recorder_.group_of(client)].take(tally);
    counted_.acquisitions.atomics += meter.atomics_in_acquire;
    counted_.acquisitions.mismatched += meter.mismatched_in_acquire;
  } else {
    tally = {};
  }
  meter.atomics_in_acquire = meter.mismatched_in_acquire = 0;
  meter.under_way = false;
}

// The cycle and its first acquisition began `ago` before now.
void MeasuringObserver::arrived(ClientId client, Duration ago) {
  const Time now = backend_.true_now();
  recorder_.arrived(client, now, ago);
  meters_[client.value].restart(now - ago);
  meters_[client.value].arrived = true;
}

void MeasuringObserver::acquire_begins(ClientId client, const Want& want) {
  Meter& meter = meters_[client.value];
  Verbs& verbs = world_.verbs(client);
  if (!std::exchange(meter.trying, true)) {
    if (!std::exchange(meter.arrived, false)) meter.restart(backend_.true_now());
    if (!std::exchange(meter.under_way, true)) meter.transaction_begun = meter.begun;
    meter.asked = want.mode;
    meter.asked_for_part = !want.extent.whole();
    if (meter.asked_for_part) contacts_.wants(client, want);
    meter.tally_at_start = verbs.tally();
  }
  verbs.first_effect().arm();
  monitor_.requested(client, want);
}

void MeasuringObserver::acquire_aborted(ClientId client, const Want& want, AbortReason reason) {
  if (recorder_.counts(backend_.true_now())) ++counted_.aborted;
  if (reason != AbortReason::deadline && reason != AbortReason::unsupported) {
    monitor_.aborted(client);
    return;
  }
  monitor_.withdrawn(client);
  meters_[client.value].trying = false;
  contacts_.leaves(client, want.lock.id, want.id);
}

void MeasuringObserver::acquired(ClientId client, const Grant& grant) {
  Meter& meter = meters_[client.value];
  const Time now = backend_.true_now();
  const bool shared = meter.asked == LockMode::shared;
  meter.trying = false;
  const ActorTally verbs = world_.verbs(client).tally() - meter.tally_at_start;
  meter.atomics_in_acquire += verbs.atomics();
  meter.mismatched_in_acquire += verbs.mismatched;
  recorder_.acquired(now, meter.stop(now), shared, grant.lock.id);
  if (recorder_.counts(now)) {
    counted_.reads_in_acquire += verbs.reads();
    counted_.polls_in_acquire += verbs.probe_reads;
    counted_.writes_in_acquire += verbs.writes();
    counted_.atomics_in_acquire += verbs.atomics();
    (shared ? counted_.read : counted_.write).add(meter.spent);
    if (has_waited(meter.spent))
      (shared ? counted_.read_waited : counted_.write_waited).add(meter.spent);
    if (grant.mode == LockMode::exclusive) {
      if (shared) ++counted_.shared_as_exclusive;
      if (meter.asked == LockMode::update) ++counted_.update_as_exclusive;
    }
    if (meter.asked_for_part) {
      if (grant.extent.whole()) ++counted_.ranges_as_whole;
      if (has_waited(meter.spent) && !contacts_.met_any_client(client, grant.lock.id, grant.id))
        ++counted_.false_conflicts;
    }
  }
  note(now, kGranted, client, grant);
  judge(monitor_.granted(client, grant));
}

void MeasuringObserver::judge(bool safe) {
  if (safe) return;
  if (violation_.empty()) violation_ = monitor_.describe_violation();
  if (on_violation_ == OnViolation::stop) backend_.request_stop();
}

// The stopwatch runs so that a long wait is detected; no histogram includes upgrades.
void MeasuringObserver::upgrade_begins(ClientId client, const Grant& /*grant*/) {
  meters_[client.value].restart(backend_.true_now());
  meters_[client.value].upgrading = true;
}

void MeasuringObserver::upgraded(ClientId client, const Grant& grant) {
  meters_[client.value].upgrading = false;
  note(backend_.true_now(), kUpgraded, client, grant);
  judge(monitor_.upgraded(client, grant));
}

void MeasuringObserver::upgrade_aborted(ClientId client, const Grant& /*grant*/,
                                        AbortReason /*reason*/) {
  meters_[client.value].upgrading = false;
  if (recorder_.counts(backend_.true_now())) ++counted_.aborted;
}

void MeasuringObserver::extended(ClientId client, const Grant& grant) {
  note(backend_.true_now(), kExtended, client, grant);
  judge(monitor_.extended(client, grant));
}

void MeasuringObserver::release_begins(ClientId client, const Grant& grant) {
  Meter& meter = meters_[client.value];
  // If the lock is given back after an abort, the attempt has ended.
  if (std::exchange(meter.trying, false)) monitor_.withdrawn(client);
  monitor_.releasing(client, grant);
  meter.restart(backend_.true_now());
  meter.releasing = true;
  meter.tally_at_start = world_.verbs(client).tally();
}

void MeasuringObserver::released(ClientId client, const Grant& grant, ReleaseResult result) {
  Meter& meter = meters_[client.value];
  const Time now = backend_.true_now();
  meter.releasing = false;
  recorder_.released(now, meter.stop(now));
  if (recorder_.counts(now)) {
    counted_.release.add(meter.spent);
    counted_.polls_in_release +=
        world_.verbs(client).tally().probe_reads - meter.tally_at_start.probe_reads;
  }
  monitor_.released(client, grant, result);
  contacts_.leaves(client, grant.lock.id, grant.id);
  note(now, kReleased, client, grant);
}

void MeasuringObserver::release_skipped(ClientId client, const Grant& grant) {
  monitor_.forgotten(client, grant);
  contacts_.leaves(client, grant.lock.id, grant.id);
}

void MeasuringObserver::transferred(ClientId /*client*/, std::uint32_t bytes) {
  if (recorder_.counts(backend_.true_now())) counted_.file_bytes += bytes;
}

void MeasuringObserver::transaction_begins(ClientId client) {
  Meter& meter = meters_[client.value];
  if (std::exchange(meter.under_way, true)) return;
  meter.transaction_begun = meter.arrived ? meter.begun : backend_.true_now();
}

void MeasuringObserver::transaction_done(ClientId client) {
  const Time now = backend_.true_now();
  if (recorder_.counts(now))
    counted_.transaction.record(now - meters_[client.value].transaction_begun);
}

void MeasuringObserver::transaction_given_back(ClientId /*client*/) {
  if (recorder_.counts(backend_.true_now())) ++counted_.given_back;
}

// ---- the stopwatch of one client ----

void MeasuringObserver::Meter::mark(Phase phase) {
  mark_at(phase, clock->true_now());
}

void MeasuringObserver::Meter::was(Phase phase) {
  const Phase goes_on = std::exchange(current, phase);
  mark(goes_on);
}

void MeasuringObserver::Meter::recovery_begins() {
  recovery_begun = clock->true_now();
}

void MeasuringObserver::Meter::recovery_ends() {
  const Time now = clock->true_now();
  recorder->recovered(now, now - recovery_begun);
}

void MeasuringObserver::Meter::mark_at(Phase phase, Time now) {
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
  mark_at(Phase::other, now);  // time may have passed since the last mark; phases must add up
  return now - begun;
}

}  // namespace latchlab
