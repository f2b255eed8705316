// How writers and readers acquire an N-CoSED lock.

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/n_cosed/client.h"

namespace latchlab::n_cosed {

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  const Attempt attempt{want.lock, ++generation_};
  return want.mode == LockMode::shared ? acquire_shared(want, attempt, options)
                                       : acquire_exclusive(want, attempt, options);
}

// ---- readers ----

Task<AcquireResult> Client::acquire_shared(Want want, Attempt attempt, AcquireOptions options) {
  verbs_.mark(Phase::initial_atomic);
  const Completion counted = co_await verbs_.fetch_add(want.lock.entry, 1);
  if (!counted.ok()) {
    LATCHLAB_PATH("n_cosed: the server fails a reader");
    co_return Aborted{AbortReason::server_failed};
  }
  const Word found = Word::unpack(counted.value.lo);
  Grant grant(want, LockMode::shared);
  if (found.tail != 0) {
    LATCHLAB_PATH("n_cosed: a reader asks the tail");
    const Message let_in = co_await ask(kAskShared, attempt, found);
    grant.words = {let_in.words[0], let_in.words[1]};
    co_return grant;
  }
  if (options_.shared_limit == 0 || found.readers < options_.shared_limit) {
    LATCHLAB_PATH("n_cosed: a reader enters at once");
    co_return grant;
  }
  LATCHLAB_PATH("n_cosed: a reader beyond the limit asks as a writer");
  const Reply left = co_await tell_home(kReleased, want.lock);
  if (!left.ok()) co_return Aborted{AbortReason::server_failed};
  co_return co_await acquire_exclusive(want, attempt, options);
}

// ---- writers ----

Task<AcquireResult> Client::acquire_exclusive(Want want, Attempt attempt, AcquireOptions options) {
  const JoinResult joined = co_await join(want.lock, options);
  if (joined.how == Joined::too_late) co_return co_await give_up(want.lock.id, options.deadline);
  if (joined.how == Joined::failed) {
    LATCHLAB_PATH("n_cosed: the server fails a writer");
    co_return Aborted{AbortReason::server_failed};
  }
  timeouts_.succeeded(want.lock.id);
  if (joined.found.tail != 0) {
    LATCHLAB_PATH("n_cosed: a writer asks the tail");
    const Message grant = co_await ask(kAskExclusive, attempt, joined.found);
    if (!PLANTED(n_cosed_waits_for_no_release)) co_await await_releases(attempt, grant.words[0]);
  } else if (joined.found.readers != 0) {
    LATCHLAB_PATH("n_cosed: a writer asks the home");
    verbs_.mark(Phase::wait_readers);
    const Reply all_left = co_await tell_home(kAwait, want.lock, joined.found.readers);
    if (!all_left.ok()) co_return Aborted{AbortReason::server_failed};
  } else {
    LATCHLAB_PATH("n_cosed: a writer finds the word free");
  }
  co_return Grant(want);
}

// Becomes the tail, whatever the word holds.
Task<Client::JoinResult> Client::join(LockRef lock, AcquireOptions options) {
  const Time own_end = options_.timeout.ps > 0 ? verbs_.now() + options_.timeout : kNever;
  const Time end = std::min(options.deadline, own_end);
  verbs_.mark(Phase::initial_atomic);
  JoinResult joined;
  for (;;) {
    const std::uint64_t expected = joined.found.packed();
    const Completion before =
        co_await verbs_.compare_swap(lock.entry, expected, Word{me_, 0}.packed());
    if (!before.ok()) {
      joined.how = Joined::failed;
      co_return joined;
    }
    if (before.value.lo == expected) co_return joined;
    LATCHLAB_PATH("n_cosed: a writer's CAS finds something else");
    joined.found = Word::unpack(before.value.lo);
    if (verbs_.now() >= end) {
      joined.how = Joined::too_late;
      co_return joined;
    }
    verbs_.mark(Phase::retry);
  }
}

// Returns immediately at the caller's deadline; after the lock's own timeout, pauses for DSLR's
// random backoff first.
Task<AcquireResult> Client::give_up(LockId lock, Time deadline) {
  if (verbs_.now() < deadline) {
    LATCHLAB_PATH("n_cosed: a writer is timed out before it queues up");
    co_await timeouts_.pause(verbs_, lock, deadline);
    co_return Aborted{AbortReason::too_many};  // the caller may try again
  }
  LATCHLAB_PATH("n_cosed: a writer gives up at its deadline");
  co_return Aborted{AbortReason::deadline};
}

// ---- both ----

// Sends a request to the tail that was found, and waits for its Grant.
Task<Message> Client::ask(MessageType type, Attempt attempt, Word found) {
  verbs_.mark(Phase::notify_pred);
  const Message request = {type, attempt.generation, attempt.lock.id, {me_, found.readers}};
  // The send status is ignored: a dead predecessor means that the queue is dead (n_cosed.h).
  const VerbStatus told = co_await verbs_.send(endpoint(found.tail), request);
  if (told != VerbStatus::ok) LATCHLAB_PATH("n_cosed: a request cannot be delivered");
  verbs_.mark(type == kAskShared ? Phase::wait_writers : Phase::wait_pred);
  const MessageFilter answer = about(attempt.lock.id, kGrant, attempt.generation);
  const WaitOutcome woke = co_await verbs_.receive(inbox_, answer);
  co_return woke.message;
}

Task<void> Client::await_releases(Attempt attempt, std::uint64_t readers) {
  if (readers == 0) co_return;
  LATCHLAB_PATH("n_cosed: a writer waits for the readers before it");
  verbs_.mark(Phase::wait_readers);
  const MessageFilter release = about(attempt.lock.id, kRelease, attempt.generation);
  for (std::uint64_t i = 0; i < readers; ++i) co_await verbs_.receive(inbox_, release);
}

}  // namespace latchlab::n_cosed
