// Waiting with looks at RelCnt, and recovery on the client's side (3.6).

#include "core/base/paths.h"
#include "core/protocols/shiftlock/client.h"

namespace latchlab::shiftlock {

void Client::Looks::add(std::uint64_t seen, Time now) {
  if (seen != relcnt) moved = issued;
  relcnt = seen;
  issued = next;
  next = now;
}

// Called before the first look, and after each look that does not end the wait.
PauseBetweenLooks Client::pause(Duration length, Looks& looks,
                                std::uint64_t Words::*relcnt_of) const {
  return [length, &looks, this, relcnt_of](const ProbeValues& seen, std::uint64_t misses) {
    const std::uint64_t relcnt = seen[0].*relcnt_of;
    if (misses == 0) looks.next = verbs_.now();
    if (misses > 0) looks.add(relcnt & format().relcnt_mask(), verbs_.now());
    return length;
  };
}

// Patience is three leases at first. After a rejected request it is one lease: then the client
// looks again, and asks again unless RelCnt has moved in the meantime.
Task<Client::WatchResult> Client::watch(LockRef lock, RemoteWait wait) {
  WatchResult result;
  Duration patience = on_.patience;
  std::uint64_t rejected_at = 0;
  for (;;) {
    wait.unchanged_for = on_.recovery ? patience : kForever;
    result.wait = co_await verbs_.await_remote(wait);
    if (result.wait.end == WaitEnd::failed) result.step = Step::failed;
    if (result.wait.end == WaitEnd::abandoned) result.step = Step::recovered;
    if (result.wait.end != WaitEnd::unchanged) co_return result;

    const std::uint64_t stuck_at = wait.observe(result.wait.values).lo;
    const bool moved = patience != on_.patience && stuck_at != rejected_at;
    Asked asked = Asked::alive;
    if (moved) LATCHLAB_PATH("shiftlock: the lock moves again after a rejected request");
    if (!moved) {
      Task<Asked> recovery =
          on_.recovered_by_client ? reset_alone(lock, stuck_at) : ask_for_recovery(lock, stuck_at);
      asked = co_await recovery;
    }
    if (asked != Asked::alive) {
      result.step = asked == Asked::failed ? Step::failed : Step::recovered;
      co_return result;
    }
    patience = moved ? on_.patience : on_.lease_and_drift;
    rejected_at = stuck_at;
  }
}

// Reads the era before RelCnt. An era that was read after the last look at RelCnt could belong to a
// lock that another client recovered in between.
Task<Client::Asked> Client::ask_for_recovery(LockRef lock, std::uint64_t stuck_at) {
  const NodeId server = lock.entry.node;
  const Completion era = co_await verbs_.read(peers_.server_words(server));
  if (!era.ok()) co_return Asked::failed;
  if (!on_.reset_compares_own_read) {
    const Completion now = co_await verbs_.read(lock.entry + kRelCntOffset);
    if (!now.ok()) co_return Asked::failed;
    if (format().leapt(stuck_at, now.value.lo)) {
      LATCHLAB_PATH("shiftlock: another client was faster to ask for recovery");
      co_return Asked::recovered;
    }
  }
  Request request;
  request.type = kRecover;
  request.words = {lock.entry.packed(), era.value.lo, stuck_at, 0};
  const Reply reply = co_await verbs_.call(server, request);
  if (!reply.ok()) co_return Asked::failed;
  if (reply.words[0] == 0) {
    LATCHLAB_PATH("shiftlock: a request for recovery is rejected");
    co_return Asked::alive;
  }
  LATCHLAB_PATH("shiftlock: a request for recovery is granted");
  ++recoveries_;
  co_return Asked::recovered;
}

// Figure 2a: one more look, then the CAS that the server would issue. The CAS cannot distinguish
// the lock that was looked at from one that has the same RelCnt when the CAS lands (Figure 2b).
Task<Client::Asked> Client::reset_alone(LockRef lock, std::uint64_t stuck_at) {
  const Completion now = co_await verbs_.read(lock.entry + kRelCntOffset);
  if (!now.ok()) co_return Asked::failed;
  if (format().leapt(stuck_at, now.value.lo)) {
    LATCHLAB_PATH("shiftlock: another client was faster to reset");
    co_return Asked::recovered;
  }
  const Verb reset = format().reset(lock.entry, stuck_at, !on_.reset_zeroes_epoch);
  const Completion before = co_await verbs_.issue(reset);
  if (!before.ok()) co_return Asked::failed;
  if (matched(reset, before.value)) {
    LATCHLAB_PATH("shiftlock: a client resets the lock");
    ++recoveries_;
    co_return Asked::recovered;
  }
  LATCHLAB_PATH("shiftlock: a client's reset finds that the lock has moved");
  const bool leapt = format().leapt(stuck_at, format().unpack(before.value).relcnt);
  co_return leapt ? Asked::recovered : Asked::alive;
}

// A recovery requires that RelCnt has not changed for three leases. If it changed less than two
// leases ago, no recovery has happened since, and a grant of one lease ends before the next
// recovery is possible. Otherwise the value that ended the wait may be old or torn, and the client
// looks once more. That look does not detect a recovery that follows it.
Task<Client::Step> Client::confirm(LockRef lock, Time last_change, std::uint64_t joined_at) {
  if (on_.epoch_first || !too_late(last_change, verbs_.now())) co_return Step::entered;
  LATCHLAB_PATH("shiftlock: a waiting client looks once more before it enters");
  const Completion now = co_await verbs_.read(lock.entry + kRelCntOffset);
  if (!now.ok()) co_return Step::failed;
  if (!format().leapt(joined_at, now.value.lo)) co_return Step::entered;
  LATCHLAB_PATH("shiftlock: the last look finds a recovery");
  co_return Step::recovered;
}

// A writer that has its turn and knows RelCnt adds 1 to it: from then on three leases pass before
// the next recovery. It repeats this if the CAS took so long that the lease is over.
Task<Client::Step> Client::renew(Tenure& tenure) {
  do {
    LATCHLAB_PATH("shiftlock: a writer whose turn may be over moves RelCnt");
    tenure.since = verbs_.now();
    const Verb move = format().count_release_if(tenure.lock.entry, tenure.relcnt);
    const Completion before = co_await verbs_.issue(move);
    if (!before.ok()) co_return Step::failed;
    if (!matched(move, before.value)) {
      LATCHLAB_PATH("shiftlock: a writer finds that its turn is over");
      co_return Step::recovered;
    }
    tenure.relcnt = format().plus(tenure.relcnt, 1);
  } while (verbs_.now() - tenure.since >= on_.lease);
  co_return Step::entered;
}

// A reader that was granted the lock leaves as if it had held it, unless the lock has been
// recovered since. In both cases the lock no longer counts it, and it starts again.
Task<Client::Step> Client::withdraw(LockRef lock, Entry seen) {
  const std::uint64_t life = seen.relcnt;
  for (;;) {
    LATCHLAB_PATH("shiftlock: a reader whose turn may be over leaves");
    const Verb leave = format().remove_reader_if(lock.entry, seen);
    const Completion before = co_await verbs_.issue(leave);
    if (!before.ok()) co_return Step::failed;
    seen = format().unpack(before.value);
    if (matched(leave, before.value) || format().leapt(life, seen.relcnt))
      co_return Step::recovered;
  }
}

}  // namespace latchlab::shiftlock
