// Algorithm 2: how readers and writers acquire ShiftLock.

#include "core/base/paths.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/shiftlock/client.h"

namespace latchlab::shiftlock {

namespace {

// Classifies one READ of the whole entry for a waiting reader. The READ's two words may be torn.
//
// Unless `epoch_first` is set: if RelCnt has leapt, the lock was recovered and no longer counts
// this reader. One atomic changes both Epoch and RelCnt when it grants the lock to readers, so a
// new Epoch beside the RelCnt at which the reader joined is a torn pair, and the reader looks
// again.
auto epoch_verdict(const Switches& on, std::uint64_t epoch, std::uint64_t relcnt) {
  return [&on, epoch, relcnt](const ProbeValues& seen) {
    const Entry entry = on.unpack(seen[0]);
    const bool leapt = on.leapt(relcnt, entry.relcnt);
    const bool flipped = entry.epoch != epoch;
    if (on.epoch_first)
      return flipped ? Verdict::done : leapt ? Verdict::abandon : Verdict::pending;
    if (leapt) return Verdict::abandon;
    const bool torn = flipped && entry.relcnt == relcnt;
    if (torn) LATCHLAB_PATH("shiftlock: a waiting reader sees a torn pair");
    return flipped && !torn ? Verdict::done : Verdict::pending;
  };
}

auto relcnt_verdict(const EntryFormat& format, std::uint64_t joined_at, std::uint64_t expected) {
  return [&format, joined_at, expected](const ProbeValues& seen) {
    const std::uint64_t relcnt = seen[0].lo & format.relcnt_mask();
    if (relcnt == expected) return Verdict::done;
    return format.leapt(joined_at, relcnt) ? Verdict::abandon : Verdict::pending;
  };
}

}  // namespace

// ---- readers ----

Task<AcquireResult> Client::acquire_shared(Want want) {
  const LockRef lock = want.lock;
  for (;;) {
    verbs_.mark(Phase::initial_atomic);
    Time since = verbs_.now();
    const Completion before = co_await verbs_.issue(format().add_reader(lock.entry));
    if (!before.ok()) co_return Aborted{AbortReason::server_failed};
    const Entry joined = format().unpack(before.value);
    if (joined.tail.null()) {
      LATCHLAB_PATH("shiftlock: a reader enters at once");
    } else {
      LATCHLAB_PATH("shiftlock: a reader waits for writers");
      verbs_.mark(Phase::wait_writers);
      const Step step = co_await wait_for_epoch(lock, joined, since);
      if (step == Step::failed) co_return Aborted{AbortReason::server_failed};
      if (step == Step::recovered) {
        LATCHLAB_PATH("shiftlock: a waiting reader starts again after a recovery");
        continue;
      }
      LATCHLAB_PATH("shiftlock: a waiting reader is let in");
    }
    verbs_.mark(Phase::other);
    Grant grant(want, LockMode::shared);
    grant.valid_until = valid_until(since);
    co_return grant;
  }
}

// `since`: on entry when the reader posted its atomic, on return the start of its lease.
Task<Client::Step> Client::wait_for_epoch(LockRef lock, Entry joined, Time& since) {
  Looks looks = Looks::joined(joined.relcnt, since);
  RemoteWait wait;
  wait.add(read_verb(lock.entry, kEntryBytes));
  wait.classify = epoch_verdict(on_, joined.epoch, joined.relcnt);
  wait.pacing = pause(on_.poll_pause, looks, &Words::hi);
  wait.pause_first = on_.reader_pauses_first;
  wait.observe = [mask = format().relcnt_mask()](const ProbeValues& seen) {
    return Words{seen[0].hi & mask, 0};
  };
  const WatchResult watched = co_await watch(lock, wait);
  if (watched.step != Step::entered) co_return watched.step;
  if (on_.trusts_late_turn) {
    const Step step = co_await confirm(lock, watched.wait.last_change, joined.relcnt);
    since = verbs_.now();
    co_return step;
  }
  since = verbs_.now();
  const Entry seen = format().unpack(watched.wait.values[0]);
  if (on_.epoch_first || !too_late(looks.moved_to(seen.relcnt), since)) co_return Step::entered;
  co_return co_await withdraw(lock, seen);
}

// ---- writers ----

Task<AcquireResult> Client::acquire_exclusive(Want want) {
  const LockRef lock = want.lock;
  for (;;) {
    Tenure tenure;
    tenure.lock = lock;
    tenure.endpoint = engage(lock.id);
    if (on_.number_messages) tenure.number = ++acquisitions_;
    if (stale_possible_ && on_.match_messages)
      co_await drop_stale_messages(tenure.endpoint, lock.id);
    const Step step = co_await enter(tenure);
    verbs_.mark(Phase::other);
    if (step == Step::entered) {
      hold_until(lock.id, valid_until(tenure.since));
      co_return grant(want, tenure);
    }
    abandon(lock.id);
    if (step == Step::failed) co_return Aborted{AbortReason::server_failed};
    LATCHLAB_PATH("shiftlock: a waiting writer starts again after a recovery");
  }
}

Grant Client::grant(const Want& want, const Tenure& tenure) const {
  Grant grant(want);
  grant.valid_until = valid_until(tenure.since);
  grant.words = {tenure.relcnt, tenure.consecutive, tenure.epoch, tenure.endpoint};
  return grant;
}

Task<Client::Step> Client::enter(Tenure& tenure) {
  verbs_.mark(Phase::initial_atomic);
  if (on_.trivial_tries > 0) {
    const bool taken = co_await try_free(tenure);
    if (taken) co_return Step::entered;
  }
  tenure.since = verbs_.now();
  const EndpointAddr self = endpoints_[tenure.endpoint];
  const Completion before = co_await verbs_.issue(format().join_queue(tenure.lock.entry, self));
  if (!before.ok()) co_return Step::failed;
  const Entry joined = format().unpack(before.value);
  tenure.joined_at = tenure.relcnt = joined.relcnt;
  tenure.epoch = joined.epoch;
  tenure.looks = Looks::joined(joined.relcnt, tenure.since);
  if (!joined.tail.null()) co_return co_await follow(tenure, joined.tail);
  if (joined.readers == 0) {
    LATCHLAB_PATH("shiftlock: a writer enters at once");
    co_return Step::entered;
  }
  LATCHLAB_PATH("shiftlock: the first writer waits for readers");
  co_return co_await wait_for_readers(tenure, format().plus(joined.relcnt, joined.readers));
}

// The artifact's attempts before it queues. They succeed only if the lock is free.
Task<bool> Client::try_free(Tenure& tenure) {
  const Verb attempt = format().take_if_free(tenure.lock.entry, endpoints_[tenure.endpoint]);
  for (std::int64_t i = 0; i < on_.trivial_tries; ++i) {
    if (i > 0) co_await verbs_.compute(on_.trivial_pause);
    tenure.since = verbs_.now();
    const Completion before = co_await verbs_.issue(attempt);
    if (!before.ok()) co_return false;
    if (!matched(attempt, before.value)) continue;
    const Entry joined = format().unpack(before.value);
    tenure.joined_at = tenure.relcnt = joined.relcnt;
    tenure.epoch = joined.epoch;
    LATCHLAB_PATH("shiftlock: a trivial try takes the lock");
    co_return true;
  }
  verbs_.mark_past(Phase::retry);  // the initial atomic is the swap that follows
  co_return false;
}

// SENDs Successor to the predecessor and waits for its message, looking at RelCnt twice per lease.
Task<Client::Step> Client::follow(Tenure& tenure, EndpointAddr predecessor) {
  const EndpointAddr self = endpoints_[tenure.endpoint];
  if (predecessor == self) {
    LATCHLAB_PATH("shiftlock: a writer queues behind its own forgotten tenure");  // until recovery
  } else {
    LATCHLAB_PATH("shiftlock: a writer queues behind another");
    verbs_.mark(Phase::notify_pred);
    if (on_.delay_before_successor)
      co_await delay_sending(verbs_, predecessor, on_.intra_node_delay);
    const Message hello = note(kSuccessor, tenure, tenure.joined_at, 0, 0);
    // The send status is ignored: the wait below detects a dead predecessor.
    (void)co_await verbs_.send(predecessor, hello);
  }
  verbs_.mark(Phase::wait_pred);
  RemoteWait wait;
  wait.add(read_verb(tenure.lock.entry + kRelCntOffset));
  wait.classify = [&format = format(), from = tenure.joined_at](const ProbeValues& seen) {
    return format.leapt(from, seen[0].lo) ? Verdict::abandon : Verdict::pending;
  };
  wait.pacing = pause(on_.recovery ? on_.lease / 2 : kForever, tenure.looks, &Words::lo);
  wait.pause_first = true;
  wait.observe = [mask = format().relcnt_mask()](const ProbeValues& seen) {
    return Words{seen[0].lo & mask, 0};
  };
  wait.stop_on_message = true;
  wait.message = {self, from_predecessor(tenure)};
  const WatchResult watched = co_await watch(tenure.lock, wait);
  if (watched.step != Step::entered) co_return watched.step;
  co_return co_await received(tenure, watched.wait.message);
}

Task<Client::Step> Client::received(Tenure& tenure, Message message) {
  const Note note = unpack(message);
  if (!on_.delay_before_successor)
    co_await delay_received(verbs_, note.sender, message.received_latest, on_.intra_node_delay);
  tenure.since = message.received_earliest;
  if (message.type == kHandover) {
    tenure.relcnt = note.relcnt;
    tenure.consecutive = note.consecutive;
    if (!on_.handover_epoch_literal) tenure.epoch = note.epoch;
    LATCHLAB_PATH("shiftlock: a writer is handed the lock");
    co_return co_await take_turn(tenure);
  }
  tenure.epoch = on_.mode_changed_epoch_literal ? tenure.epoch ^ kEpochBit : note.epoch;
  LATCHLAB_PATH("shiftlock: a writer waits for the readers of a mode change");
  co_return co_await wait_for_readers(tenure, note.relcnt);
}

Task<Client::Step> Client::wait_for_readers(Tenure& tenure, std::uint64_t expected) {
  tenure.relcnt = expected;
  if (PLANTED(shiftlock_no_relcnt_wait)) co_return Step::entered;
  verbs_.mark(Phase::wait_readers);
  RemoteWait wait;
  wait.add(read_verb(tenure.lock.entry + kRelCntOffset));
  wait.classify = relcnt_verdict(format(), tenure.joined_at, expected);
  wait.pacing = pause(on_.poll_pause, tenure.looks, &Words::lo);
  wait.observe = [mask = format().relcnt_mask()](const ProbeValues& seen) {
    return Words{seen[0].lo & mask, 0};
  };
  const WatchResult watched = co_await watch(tenure.lock, wait);
  if (watched.step != Step::entered) co_return watched.step;
  tenure.since = verbs_.now();
  const Step step = co_await take_turn(tenure);
  if (step != Step::entered || !on_.trusts_late_turn) co_return step;
  co_return co_await confirm(tenure.lock, watched.wait.last_change, tenure.joined_at);
}

// The writer's lease begins with its turn and is valid, unless the lock may be recovered before the
// lease ends.
Task<Client::Step> Client::take_turn(Tenure& tenure) {
  const Time moved = tenure.looks.moved_to(tenure.relcnt);
  if (on_.trusts_late_turn || !too_late(moved, tenure.since)) co_return Step::entered;
  co_return co_await renew(tenure);
}

}  // namespace latchlab::shiftlock
