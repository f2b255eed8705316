#pragma once
// What a client does all day: choose a lock, acquire, hold, release, think. The loop knows neither
// protocol nor backend; it reports every border to an observer, which measures and checks.

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/coro/task.h"
#include "core/protocols/lock.h"

namespace latchlab {

class Guard;

struct ClientOperation {
  Want want;
  Duration hold;
  Duration think;
  bool skip_release = false;  // a fault: the client forgets the lock it holds
  AcquireOptions options;
};

class OperationSource {
 public:
  virtual ~OperationSource() = default;
  // The client's next operation; false: it has done enough.
  virtual bool next(ClientId client, ClientOperation& operation) = 0;
};

class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void cycle_begins(ClientId) {}
  virtual void acquire_begins(ClientId, const ClientOperation&) {}
  virtual void acquire_aborted(ClientId, AbortReason) {}
  virtual void acquired(ClientId, const Grant&) {}
  virtual void release_begins(ClientId, const Grant&) {}
  virtual void released(ClientId, const Grant&, ReleaseResult) {}
  virtual void release_skipped(ClientId, const Grant&) {}
};

// Runs until the source is exhausted, or until destroyed. An acquisition aborted for `deadline`
// ends the operation; for any other reason it is tried again within the same cycle.
// With a guard, each use of a lock is checked; observers see neither its verbs in tallies nor its
// time in acquisitions and releases.
Task<void> client_loop(Verbs& verbs, LockClient& client, OperationSource& source,
                       LoopObserver& observer, Guard* guard = nullptr);

}  // namespace latchlab
