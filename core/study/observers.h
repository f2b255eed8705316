#pragma once
// The measuring observers of one process, one per worker: each measures and is read by the thread
// that runs its clients, so that nothing is shared between threads while the run lasts.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/checks/guard_words.h"
#include "core/measure/share.h"
#include "core/scenario/scenario.h"
#include "core/study/measuring.h"
#include "core/workload/forwarding_observer.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// Hands what a client reports to the observer of the client's worker. Where the point asks for
// guard words, each worker has a guard, too.
class WorkerObservers final : public ForwardingObserver {
 public:
  // Made after World::attach; puts the opening of the window and the ends of its parts on each
  // worker's agenda, unless `seeks`: then only() is told by who seeks the end of the warm-up. The
  // journal
  // has a line for each client of the run, or none at all: then it is kept here.
  WorkerObservers(const World& world, Backend& backend, const Point& point,
                  std::span<GuardRecord> journal, bool seeks);
  MeasuringObserver& only() { return *observers_.front(); }  // of one worker

  // What client loops are to report to: the observer itself where there is only one.
  LoopObserver& front();
  MeasuringObserver& of(ClientId client) { return *observers_[worker_of(client)]; }
  Guard* guard_of(ClientId client);  // null: no guard words
  void client_crashed(ClientId client);
  void measure_lock(LockId lock);  // apart from the others, too; before the run
  // After the run: what each measured, by worker.
  std::vector<MeasuredShare> shares() const;

 private:
  LoopObserver& inner(ClientId client) override { return of(client); }
  std::uint32_t worker_of(ClientId client) const {
    return observers_.size() == 1 ? 0 : backend_.worker_of(client);
  }

  const Backend& backend_;
  std::vector<std::unique_ptr<MeasuringObserver>> observers_;  // by worker, and so below
  std::vector<std::unique_ptr<Guard>> guards_;                 // empty: no guard words
  std::vector<GuardRecord> journal_;                           // unless the caller keeps one
};

}  // namespace latchlab
