// Waiting with an eye on RelCnt, and recovery as a client sees it (3.6).

#include "core/base/paths.h"
#include "core/protocols/shiftlock/client.h"

namespace latchlab::shiftlock {

// Patience is three leases at first. After a rejected request it is one: look again then, unless
// RelCnt has moved in the meantime.
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
    if (!moved) asked = co_await ask_for_recovery(lock, stuck_at);
    if (asked != Asked::alive) {
      result.step = asked == Asked::failed ? Step::failed : Step::recovered;
      co_return result;
    }
    patience = moved ? on_.patience : on_.lease_and_drift;
    rejected_at = stuck_at;
  }
}

// Era before RelCnt: an era read later than the last look at RelCnt could be that of a lock which
// somebody else has recovered in between.
Task<Client::Asked> Client::ask_for_recovery(LockRef lock, std::uint64_t stuck_at) {
  const NodeId server = lock.entry.node;
  const Completion era = co_await verbs_.read(peers_.server_words(server));
  if (!era.ok()) co_return Asked::failed;
  if (!on_.reset_compares_own_read) {
    const Completion now = co_await verbs_.read(lock.entry + kRelCntOffset);
    if (!now.ok()) co_return Asked::failed;
    if (format().leapt(stuck_at, now.value.lo)) {
      LATCHLAB_PATH("shiftlock: somebody else was faster to ask for recovery");
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

// Recovery needs RelCnt to stand still for three leases. Where the wait saw it move less than two
// leases ago, none can have happened, and a grant of one lease ends before the next can. Where it
// did not, the value that ended the wait may be old or torn.
Task<Client::Step> Client::confirm(LockRef lock, Time last_change, std::uint64_t joined_at) {
  if (!on_.recovery || on_.epoch_first) co_return Step::entered;
  if (verbs_.now() - last_change < on_.lease * 2) co_return Step::entered;
  LATCHLAB_PATH("shiftlock: a waiting client looks once more before it enters");
  const Completion now = co_await verbs_.read(lock.entry + kRelCntOffset);
  if (!now.ok()) co_return Step::failed;
  if (!format().leapt(joined_at, now.value.lo)) co_return Step::entered;
  LATCHLAB_PATH("shiftlock: the last look finds a recovery");
  co_return Step::recovered;
}

Task<void> Client::delay_if_same_node(EndpointAddr peer) {
  if (peer.node != verbs_.node() || on_.intra_node_delay.ps == 0) co_return;
  co_await verbs_.compute(on_.intra_node_delay);
}

}  // namespace latchlab::shiftlock
