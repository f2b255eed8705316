#include "core/run/observers.h"

#include "core/base/check.h"
#include "core/measure/steady.h"
#include "core/run/warm_up.h"

namespace latchlab {

WorkerObservers::WorkerObservers(const World& world, Backend& backend, const Point& point,
                                 std::span<GuardRecord> journal, bool seeks)
    : backend_(backend) {
  const bool guarded = world.world_shape().guard;
  if (guarded && journal.empty()) {
    journal_ = std::vector<GuardRecord>(world.world_shape().clients());
    journal = journal_;
  }
  LATCHLAB_CHECK(!guarded || journal.size() == world.world_shape().clients(),
                 "the journal has not one line for each client");
  const Duration window = point.run.duration;
  const ClientGroups groups = point.run.by_group ? client_groups(point) : ClientGroups();
  const Time opens = Time{} + (seeks ? window * (WarmUp::kMost + 1) : point.run.earliest());
  for (std::uint32_t worker = 0; worker < backend.workers(); ++worker) {
    observers_.push_back(std::make_unique<MeasuringObserver>(world, backend, worker, opens, window,
                                                             point.run.on_violation));
    MeasuringObserver& observer = *observers_.back();
    if (point.run.series.ps > 0) observer.recorder().measure_intervals(point.run.series);
    if (point.run.by_group) observer.measure_groups(groups.names.size(), groups.of_clients);
    observer.watch_clients();
    if (!seeks) {
      backend.at_worker(worker, opens, [&observer] { observer.window_opens(); });
      for (std::int64_t n = 1; n < std::int64_t{kBatches}; ++n)
        backend.at_worker(worker, opens + window * n / std::int64_t{kBatches},
                          [&observer] { observer.recorder().batch_ended(); });
    }
    if (guarded)
      guards_.push_back(std::make_unique<Guard>(
          GuardedLocks(point.run.guard, world.world_shape().seed),
          [&world](LockId lock) { return world.guard_of(lock); }, journal,
          world.world_shape().guard_slots));
  }
}

Guard* WorkerObservers::guard_of(ClientId client) {
  return guards_.empty() ? nullptr : guards_[worker_of(client)].get();
}

void WorkerObservers::client_crashed(ClientId client) {
  of(client).client_crashed(client);
  if (Guard* const guard = guard_of(client); guard != nullptr) guard->crashed(client);
}

void WorkerObservers::measure_lock(LockId lock) {
  for (const auto& observer : observers_) observer->recorder().measure_lock(lock);
}

LoopObserver& WorkerObservers::front() {
  if (observers_.size() == 1) return *observers_.front();
  return *this;
}

std::vector<PartialMetrics> WorkerObservers::shares() const {
  std::vector<PartialMetrics> shares;
  for (const auto& observer : observers_) shares.push_back(observer->share());
  for (std::size_t i = 0; i < guards_.size(); ++i) shares[i].guard = guards_[i]->findings();
  return shares;
}

}  // namespace latchlab
