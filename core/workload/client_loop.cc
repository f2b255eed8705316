#include "core/workload/client_loop.h"

#include <algorithm>
#include <optional>

#include "core/checks/guard_words.h"

namespace latchlab {

namespace {

// The object is used only while the grant is valid.
Duration time_to_use(const Verbs& verbs, const Grant& grant, Duration hold) {
  if (grant.valid_until == kNever) return hold;
  const Time now = verbs.now();
  const Duration left = grant.valid_until > now ? grant.valid_until - now : Duration{};
  return std::min(hold, left);
}

Task<AcquireResult> acquire_once(Verbs& verbs, LockClient& client,
                                 const ClientOperation& operation) {
  verbs.mark(Phase::other);
  return client.acquire(operation.want, operation.options);
}

// One turn: from the choice of a lock to its release. The time to think afterwards; none: the
// source is exhausted.
Task<std::optional<Duration>> one_turn(Verbs& verbs, LockClient& client, OperationSource& source,
                                       LoopObserver& observer, Guard* guard) {
  const ClientId me = verbs.client();
  ClientOperation operation;
  if (!source.next(me, operation)) co_return std::nullopt;
  for (bool trying = true; trying;) {
    observer.acquire_begins(me, operation);
    const AcquireResult result = co_await acquire_once(verbs, client, operation);
    if (const Aborted* aborted = std::get_if<Aborted>(&result)) {
      observer.acquire_aborted(me, aborted->reason);
      trying = aborted->reason != AbortReason::deadline;
      continue;
    }
    const Grant& grant = *std::get_if<Grant>(&result);
    observer.acquired(me, grant);
    if (guard != nullptr) co_await guard->enter(verbs, grant);
    const Duration hold = time_to_use(verbs, grant, operation.hold);
    if (hold.ps > 0) co_await verbs.sleep(hold);
    if (guard != nullptr) co_await guard->leave(verbs, grant);
    trying = false;
    if (operation.skip_release) {
      observer.release_skipped(me, grant);
      continue;
    }
    observer.release_begins(me, grant);
    const ReleaseResult released = co_await client.release(grant);
    observer.released(me, grant, released);
  }
  co_return operation.think;
}

}  // namespace

// Its frame is what a thinking client keeps, and so it holds next to nothing.
Task<void> client_loop(Verbs& verbs, LockClient& client, OperationSource& source,
                       LoopObserver& observer, Guard* guard) {
  const ClientId me = verbs.client();
  observer.cycle_begins(me);
  for (;;) {
    const std::optional<Duration> think = co_await one_turn(verbs, client, source, observer, guard);
    if (!think) co_return;
    if (think->ps > 0) co_await verbs.sleep(*think);
    observer.cycle_begins(me);
  }
}

}  // namespace latchlab
