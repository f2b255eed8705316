// How a CQL lock is released.

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/cql/client.h"
#include "core/verbs/batch.h"

namespace latchlab::cql {

Task<ReleaseResult> Client::release(Grant grant) {
  const Notice notice = co_await give_up(grant);
  co_await tell(notice);
  co_return notice.result;
}

Task<Client::Notice> Client::give_up(Grant grant) {
  const LockRef lock = grant.lock;
  Notice notice;
  const ServerLife life = life_of_count(grant.words[0]);
  if (!lasts(lock, life) && !PLANTED(cql_releases_in_another_life)) {
    LATCHLAB_PATH("cql: a release comes after the server has failed");
    co_await leave(lock);
    notice.result = ReleaseResult::suppressed;
    co_return notice;
  }
  const bool exclusive = writes(grant.mode);
  // If this node has heard of a reset by now, the header names it, and no notification is sent.
  if (options_.notification_count == CountIn::release) grant.words[0] = co_await count_of(lock.id);
  verbs_.mark(Phase::initial_atomic);
  bool resets = false;
  {
    Batch batch(verbs_);
    const int header = batch.add(faa_verb(lock.entry, format_.leave(exclusive)));
    const int queue = batch.add(read_verb(lock.entry + 8, format_.queue_bytes()));
    co_await batch.run();
    const Header before = format_.unpack(batch.result(header).value.lo);
    if (batch.status() != VerbStatus::ok) {
      LATCHLAB_PATH("cql: the server fails a release");
      if (!lasts(lock, life)) notice.result = ReleaseResult::suppressed;
    } else if (before.reset != 0) {
      LATCHLAB_PATH("cql: a release finds a reset under way");
    } else if (format_.reaches_never(before.head, before.size)) {
      LATCHLAB_PATH("cql: a release finds no versions left");
      resets = true;
    } else if (options_.overflow == Overflow::size && before.size > format_.capacity()) {
      LATCHLAB_PATH("cql: a release finds more clients than the queue has room for");
      resets = true;
    } else {
      const Behind next = behind(before, exclusive, options_.next_entry_first);
      resets = co_await find_next(grant, next, batch.words(queue), notice);
    }
  }
  co_await leave(lock);
  if (resets) co_await reset(lock, life);
  co_return notice;
}

// Finds the clients to notify. True: the lock has to be reset.
Task<bool> Client::find_next(Grant held, Behind next, std::span<const std::uint64_t> queue,
                             Notice& notice) {
  if (next.count == 0) co_return false;
  verbs_.mark(Phase::notify_succ);
  const Wake wake = whom_to_wake(format_, next, queue);
  if (wake.look != Look::known && !PLANTED(cql_does_not_look_again))
    co_return co_await look_again(held, next, notice);
  if (wake.look == Look::known) co_await address(held, next, wake.count, queue, notice);
  co_return false;
}

// READs header and queue until all entries that matter have been written, or until a reader finds
// that another reader has released meanwhile. A writer next to it would have waited for it, so that
// place is a reader's, which holds the lock or has released it. Behind a writer, readers wait, and
// others join beside them.
Task<bool> Client::look_again(Grant held, Behind next, Notice& notice) {
  LATCHLAB_PATH("cql: a release looks for an entry again");
  const Format* const format = &format_;
  const Behind* const looks_for = &next;
  RemoteWait wait;
  wait.add(read_verb(held.lock.entry, format_.bytes()));
  wait.classify = [format, looks_for](const ProbeValues& seen) {
    const Header header = format->unpack(seen.words(0)[0]);
    if (header.reset != 0 || overtaken(*looks_for, header)) return Verdict::abandon;
    const Wake wake = whom_to_wake(*format, *looks_for, seen.words(0).subspan(1));
    if (wake.look == Look::missing) return Verdict::pending;
    return wake.look == Look::known ? Verdict::done : Verdict::abandon;
  };
  // A client that died before it wrote its entry never will.
  if (options_.timeout.ps > 0) wait.unchanged_for = options_.timeout;
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end == WaitEnd::failed) {
    LATCHLAB_PATH("cql: the server fails a release");
    co_return false;
  }
  const std::span<const std::uint64_t> words = end.values.words(0);
  const Header header = format_.unpack(words[0]);
  if (header.reset != 0) {
    LATCHLAB_PATH("cql: a reset comes before the entry that a release looks for");
    co_return false;
  }
  if (overtaken(next, header)) {
    LATCHLAB_PATH("cql: other clients leave before the entry that a release looks for is there");
    co_return false;
  }
  if (end.end == WaitEnd::abandoned) {
    LATCHLAB_PATH("cql: a release finds an entry overwritten");
    co_return true;
  }
  if (end.end != WaitEnd::satisfied) {
    LATCHLAB_PATH("cql: a release looks for an entry in vain");
    co_return true;
  }
  const Wake wake = whom_to_wake(format_, next, words.subspan(1));
  co_await address(held, next, wake.count, words.subspan(1), notice);
  co_return false;
}

Task<void> Client::address(Grant held, Behind next, std::uint32_t wakes,
                           std::span<const std::uint64_t> queue, Notice& notice) {
  if (wakes == 0) {
    LATCHLAB_PATH("cql: a reader leaves other readers holding");
    co_return;
  }
  if (wakes > 1) LATCHLAB_PATH("cql: a writer wakes several readers");
  auto count = static_cast<std::uint32_t>(held.words[0]);
  if (options_.notification_count == CountIn::sending) count = co_await count_of(held.lock.id);
  const std::uint64_t behind =
      identity_.times ? earliest(format_, next, wakes, queue, *identity_.times) : 0;
  notice.note = {kNotify, count, held.lock.id, {behind}};
  for (std::uint32_t i = 0; i < wakes; ++i) {
    const Entry entry = Format::unpack_entry(queue[format_.slot(next.first + i)]);
    notice.to.push_back(peers_.endpoint_of(ClientId{entry.owner}));
  }
}

// Called when the client does not use the lock any more. Not awaited: if a waiter has died, the
// verb would hold up the client's other locks for as long as RC retries. The send status is
// ignored: a waiter that gets no notification is dead or cut off, and those behind it will reset
// the lock.
Task<void> Client::tell(Notice notice) {
  if (notice.to.empty()) co_return;
  Batch notes(verbs_);
  for (const EndpointAddr each : notice.to) notes.add(each, notice.note);
  if (PLANTED(cql_awaits_notifications))
    co_await notes.run();
  else
    notes.post();
}

}  // namespace latchlab::cql
