#pragma once
// The measuring observers of one process, one per worker. The thread that runs a worker's clients
// calls that worker's observer, so that threads share nothing during the run.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/checks/guard_words.h"
#include "core/measure/partial_metrics.h"
#include "core/run/measuring.h"
#include "core/scenario/scenario.h"
#include "core/workload/forwarding_observer.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Forwards each client's events to the observer of the client's worker. If the point uses guard
// words, each worker also has a guard.
class WorkerObservers final : public ForwardingObserver {
 public:
  // To be created after World::attach. Schedules the opening of the window and the ends of its
  // batches on each worker, unless `seeks`: then the code that looks for steady state tells only().
  // The journal has one record per client of the run, or is empty; then this object keeps it.
  WorkerObservers(const World& world, Backend& backend, const Point& point,
                  std::span<GuardRecord> journal, bool seeks);
  MeasuringObserver& only() { return *observers_.front(); }  // requires a single worker

  // The observer for the client loops.
  LoopObserver& front();
  MeasuringObserver& of(ClientId client) { return *observers_[worker_of(client)]; }
  Guard* guard_of(ClientId client);  // null: no guard words
  void client_crashed(ClientId client);
  void measure_lock(LockId lock);  // also measures this lock separately; call before the run
  // The measurements of each worker; call after the run.
  std::vector<PartialMetrics> shares() const;

 private:
  LoopObserver& inner(ClientId client) override { return of(client); }
  std::uint32_t worker_of(ClientId client) const {
    return observers_.size() == 1 ? 0 : backend_.worker_of(client);
  }

  const Backend& backend_;
  std::vector<std::unique_ptr<MeasuringObserver>> observers_;  // by worker
  std::vector<std::unique_ptr<Guard>> guards_;                 // by worker; empty: no guard words
  std::vector<GuardRecord> journal_;                           // used if the caller has none
};

}  // namespace latchlab
