// Algorithm 3: how readers and writers release ShiftLock.

#include "core/base/paths.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/shiftlock/client.h"

namespace latchlab::shiftlock {

bool Client::expired(const Grant& held) const {
  return on_.fence != Fence::none && verbs_.now() >= held.valid_until;
}

Task<ReleaseResult> Client::suppress() {
  co_return ReleaseResult::suppressed;
}

Task<ReleaseResult> Client::release_shared(Grant held) {
  if (expired(held) && !PLANTED(shiftlock_late_release)) {
    LATCHLAB_PATH("shiftlock: a late release of a reader is suppressed");
    co_return ReleaseResult::suppressed;
  }
  LATCHLAB_PATH("shiftlock: a reader releases");
  verbs_.mark(Phase::initial_atomic);
  const Completion before = co_await verbs_.issue(format().remove_reader(held.lock.entry));
  verbs_.mark(Phase::other);
  co_return before.ok() ? ReleaseResult::released : ReleaseResult::suppressed;
}

Task<ReleaseResult> Client::release_exclusive(Tenure tenure, bool fenced) {
  const LockRef lock = tenure.lock;
  EndpointAddr next = co_await successor(tenure, verbs_.now());
  if (next.null()) {
    verbs_.mark(Phase::initial_atomic);
    const Verb leave = format().leave_queue(lock.entry, endpoints_[tenure.endpoint], tenure.epoch,
                                            tenure.relcnt, fenced);
    const Completion before = co_await verbs_.issue(leave);
    const bool left = before.ok() && matched(leave, before.value);
    const bool reset = fenced && format().unpack(before.value).relcnt != tenure.relcnt;
    if (left || reset || !before.ok()) {
      if (left) LATCHLAB_PATH("shiftlock: a release leaves the queue empty");
      if (reset) LATCHLAB_PATH("shiftlock: a release misses a recovered lock");
      if (left) disengage(lock.id);
      if (!left) abandon(lock.id);
      verbs_.mark(Phase::other);
      co_return left ? ReleaseResult::released : ReleaseResult::suppressed;
    }
  }
  const ReleaseResult result = co_await pass_on(tenure, next, fenced);
  if (result == ReleaseResult::released) disengage(lock.id);
  if (result != ReleaseResult::released) abandon(lock.id);
  verbs_.mark(Phase::other);
  co_return result;
}

// Null: no Successor has arrived by `deadline`.
Task<EndpointAddr> Client::successor(Tenure& tenure, Time deadline) {
  const EndpointAddr self = endpoints_[tenure.endpoint];
  const WaitOutcome woke = co_await verbs_.receive(self, from_successor(tenure), deadline);
  if (woke.by != Woke::message) co_return EndpointAddr{};
  const EndpointAddr next = unpack(woke.message).sender;
  tenure.answers = woke.message.generation;
  if (!on_.delay_before_successor)
    co_await delay_received(verbs_, next, woke.message.received_latest, on_.intra_node_delay);
  co_return next;
}

// A successor exists, and its message is still in flight. Null: the message does not arrive.
Task<EndpointAddr> Client::late_successor(Tenure& tenure) {
  LATCHLAB_PATH("shiftlock: a release waits for a late Successor");
  const Time give_up = on_.recovery ? verbs_.now() + on_.lease_and_drift : kNever;
  const EndpointAddr next = co_await successor(tenure, give_up);
  if (next.null()) LATCHLAB_PATH("shiftlock: a Successor never comes");
  co_return next;
}

// Passes the lock to the successor, which exists even if its message (`next`) is still in flight.
Task<ReleaseResult> Client::pass_on(Tenure& tenure, EndpointAddr next, bool fenced) {
  if (next.null() && !on_.count_then_wait) {
    verbs_.mark(Phase::notify_succ);
    next = co_await late_successor(tenure);
    if (next.null()) co_return ReleaseResult::suppressed;
  }
  if (on_.chain_ends(tenure.consecutive)) co_return co_await give_to_readers(tenure, next, fenced);
  co_return co_await give_to_writer(tenure, next, fenced);
}

Task<ReleaseResult> Client::give_to_readers(Tenure& tenure, EndpointAddr next, bool fenced) {
  verbs_.mark(Phase::initial_atomic);
  const Time counted_at = verbs_.now();
  const RemoteAddr entry = tenure.lock.entry;
  const bool flip = !PLANTED(shiftlock_no_epoch_flip);
  const bool compares = fenced || on_.mode_change_by_cas;
  Verb change = format().change_mode(entry, flip);
  Completion before;
  for (;;) {
    if (compares)
      change = format().change_mode_if(entry, tenure.epoch, tenure.relcnt, fenced, flip);
    before = co_await verbs_.issue(change);
    const Entry seen = format().unpack(before.value);
    const bool stale_epoch = fenced && seen.relcnt == tenure.relcnt && seen.epoch != tenure.epoch;
    if (!before.ok() || !stale_epoch) break;
    LATCHLAB_PATH("shiftlock: a mode change knows an old Epoch");
    tenure.epoch = seen.epoch;  // happens only if messages do not carry Epoch
  }
  if (!before.ok() || !matched(change, before.value)) {
    LATCHLAB_PATH("shiftlock: a mode change misses a recovered lock");
    co_return ReleaseResult::suppressed;
  }
  LATCHLAB_PATH("shiftlock: a release grants to readers");
  const Entry seen = format().unpack(before.value);
  const std::uint64_t expected = format().plus(seen.relcnt, seen.readers + 1);
  const std::uint64_t epoch = format().unpack(after_atomic(change, before.value)).epoch;
  const Message message = note(kModeChanged, tenure, expected, 0, epoch);
  co_return co_await notify(tenure, next, counted_at, message);
}

Task<ReleaseResult> Client::give_to_writer(Tenure& tenure, EndpointAddr next, bool fenced) {
  const Time counted_at = verbs_.now();
  std::uint64_t relcnt = tenure.relcnt;
  if (on_.handover_counts) {
    verbs_.mark(Phase::initial_atomic);
    const Verb count = fenced ? format().count_release_if(tenure.lock.entry, relcnt)
                              : format().count_release(tenure.lock.entry);
    const Completion before = co_await verbs_.issue(count);
    if (!before.ok() || !matched(count, before.value)) {
      LATCHLAB_PATH("shiftlock: a handover misses a recovered lock");
      co_return ReleaseResult::suppressed;
    }
    relcnt = format().plus(relcnt, 1);
  }
  LATCHLAB_PATH("shiftlock: a release hands over to the next writer");
  const Message message = note(kHandover, tenure, relcnt, tenure.consecutive + 1, tenure.epoch);
  co_return co_await notify(tenure, next, counted_at, message);
}

// A receiver's lease runs from the message's arrival, and a recovery may come three leases after
// RelCnt's last change. So a message that cannot be sent within two leases is not sent.
Task<ReleaseResult> Client::notify(Tenure& tenure, EndpointAddr next, Time counted_at,
                                   Message message) {
  verbs_.mark(Phase::notify_succ);
  if (next.null()) {
    next = co_await late_successor(tenure);
    if (next.null()) co_return ReleaseResult::suppressed;
    message.generation = tenure.answers;
  }
  if (too_late(counted_at, verbs_.now()) && on_.fence == Fence::conditional) {
    LATCHLAB_PATH("shiftlock: a message is too late to be sent");
    co_return ReleaseResult::suppressed;
  }
  (void)co_await verbs_.send(next, message);
  co_return ReleaseResult::released;
}

}  // namespace latchlab::shiftlock
