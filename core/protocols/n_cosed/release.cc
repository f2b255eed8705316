// How writers and readers release an N-CoSED lock.

#include "core/base/paths.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/n_cosed/client.h"

namespace latchlab::n_cosed {

Task<ReleaseResult> Client::release(Grant grant) {
  if (grant.mode != LockMode::shared) return leave_as_writer(grant.lock);
  const Listener listener{static_cast<Owner>(grant.words[0]),
                          static_cast<std::uint32_t>(grant.words[1])};
  return leave_as_reader(grant.lock, listener);
}

// ---- readers ----

Task<ReleaseResult> Client::leave_as_reader(LockRef lock, Listener listener) {
  verbs_.mark(Phase::notify_succ);
  if (listener.writer == 0) {
    LATCHLAB_PATH("n_cosed: a reader tells the home");
    co_await tell_home(kReleased, lock);
    co_return ReleaseResult::released;
  }
  LATCHLAB_PATH("n_cosed: a reader tells the writer after it");
  const Message release = {kRelease, listener.generation, lock.id};
  const VerbStatus told = co_await verbs_.send(endpoint(listener.writer), release);
  if (told != VerbStatus::ok) LATCHLAB_PATH("n_cosed: a Release cannot be delivered");
  co_return ReleaseResult::released;
}

CallAwait Client::tell_home(RequestType type, LockRef lock, std::uint64_t readers) {
  Request request;
  request.type = type;
  request.words = {lock.entry.packed(), readers};
  return verbs_.call(lock.entry.node, request);
}

// ---- writers ----

Task<ReleaseResult> Client::leave_as_writer(LockRef lock) {
  const MessageFilter successor = about(lock.id, kAskExclusive);
  WaitOutcome known = co_await poll_inbox(verbs_, inbox_, successor);
  if (known.by == Woke::message) {
    LATCHLAB_PATH("n_cosed: a writer knows its successor");
    co_await hand_on(lock, known.message);
    co_return ReleaseResult::released;
  }
  verbs_.mark(Phase::initial_atomic);
  for (Word expected{me_, 0}; expected.tail == me_;) {
    const Word left{0, PLANTED(n_cosed_forgets_its_readers) ? 0 : expected.readers};
    const Completion before =
        co_await verbs_.compare_swap(lock.entry, expected.packed(), left.packed());
    if (!before.ok()) {
      LATCHLAB_PATH("n_cosed: the server fails a release");
      co_return ReleaseResult::released;  // the lock is lost with its server
    }
    if (before.value.lo == expected.packed()) {
      if (expected.readers > 0) {
        co_await leave_to_home(lock, expected.readers);
      } else {
        LATCHLAB_PATH("n_cosed: a writer leaves the word free");
      }
      co_return ReleaseResult::released;
    }
    expected = Word::unpack(before.value.lo);
  }
  LATCHLAB_PATH("n_cosed: a writer waits for a late successor");
  if (PLANTED(n_cosed_does_not_wait_for_its_successor)) co_return ReleaseResult::released;
  verbs_.mark(Phase::notify_succ);
  known = co_await verbs_.receive(inbox_, successor);
  co_await hand_on(lock, known.message);
  co_return ReleaseResult::released;
}

// No writer has queued: the readers counted so far, and later ones, report to the home.
Task<void> Client::leave_to_home(LockRef lock, std::uint64_t readers) {
  LATCHLAB_PATH("n_cosed: a writer leaves its readers to the home");
  verbs_.mark(Phase::notify_succ);
  Batch grants(verbs_);
  co_await let_in(lock, readers, {}, grants);
  co_await grants.run();
}

Task<void> Client::hand_on(LockRef lock, Message successor) {
  verbs_.mark(Phase::notify_succ);
  const std::uint64_t readers = successor.words[1];
  const Listener listener{static_cast<Owner>(successor.words[0]), successor.generation};
  if (readers > 0) LATCHLAB_PATH("n_cosed: a writer hands on to readers and the next writer");
  Batch grants(verbs_);
  co_await let_in(lock, readers, listener, grants);
  const Message grant = {kGrant, successor.generation, lock.id, {readers}};
  grants.add(endpoint(listener.writer), grant);
  co_await grants.run();
  if (grants.status() != VerbStatus::ok) LATCHLAB_PATH("n_cosed: a Grant cannot be delivered");
}

// Waits for as many requests as the word has counted, and prepares their Grants.
Task<void> Client::let_in(LockRef lock, std::uint64_t readers, Listener listener, Batch& grants) {
  const MessageFilter request = about(lock.id, kAskShared);
  for (std::uint64_t i = 0; i < readers; ++i) {
    const WaitOutcome asked = co_await verbs_.receive(inbox_, request);
    const Message grant = {
        kGrant, asked.message.generation, lock.id, {listener.writer, listener.generation}};
    grants.add(endpoint(asked.message.words[0]), grant);
  }
}

}  // namespace latchlab::n_cosed
