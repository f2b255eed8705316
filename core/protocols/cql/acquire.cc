// How a CQL lock is acquired.

#include "core/base/paths.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/cql/client.h"

namespace latchlab::cql {

Task<AcquireResult> Client::acquire_since(Want want, std::uint32_t since) {
  Grant grant(want, reader_or_writer(want));
  const bool exclusive = writes(grant.mode);
  const ServerLife life = verbs_.life_of(want.lock.entry.node);
  if (!PLANTED(cql_enters_unannounced)) {
    const bool began = co_await begin(want.lock, life, grant.words[0]);
    if (!began) co_return co_await start_over(want.lock);
  }
  verbs_.mark(Phase::initial_atomic);
  const Completion joined = co_await verbs_.fetch_add(want.lock.entry, format_.join(exclusive));
  if (PLANTED(cql_enters_unannounced)) co_await enter(want.lock, life, grant.words[0]);
  if (!joined.ok()) {
    LATCHLAB_PATH("cql: the server fails an acquisition");
    co_await leave(want.lock);
    co_return co_await refuse(want.lock, life);
  }
  const Header found = format_.unpack(joined.value.lo);
  if (found.reset != 0) {
    LATCHLAB_PATH("cql: an acquisition finds a reset under way");
    co_await leave(want.lock);
    co_return co_await come_back(want.lock, life);
  }
  if (options_.overflow == Overflow::acquisition && found.size >= format_.capacity()) {
    LATCHLAB_PATH("cql: an acquisition finds no room in the queue");
    co_await leave(want.lock);
    co_return co_await reset_and_come_back(want.lock, life);
  }
  if (exclusive ? found.size == 0 : found.writers == 0) {
    if (found.size != 0) LATCHLAB_PATH("cql: a reader acquires beside other readers");
    co_return grant;
  }
  co_return co_await wait_and_enter(want, grant, found, since);
}

Task<AcquireResult> Client::wait_and_enter(Want want, Grant grant, Header found,
                                           std::uint32_t since) {
  const bool exclusive = writes(grant.mode);
  const ServerLife life = life_of_count(grant.words[0]);
  verbs_.mark(exclusive ? Phase::wait_pred : Phase::wait_writers);
  bool written = lasts(want.lock, life);
  if (written) written = co_await write_entry(want.lock, found.head + found.size, exclusive, since);
  co_await leave(want.lock);
  if (!written) {
    LATCHLAB_PATH("cql: the server fails a waiter");
    co_return co_await refuse(want.lock, life);
  }
  const TurnResult turn = co_await wait_for_turn(grant);
  if (turn == TurnResult::mine) co_return grant;
  if (turn == TurnResult::server_failed) {
    LATCHLAB_PATH("cql: a waiter hears that the server has failed");
    co_return co_await refuse(want.lock, life);
  }
  if (turn == TurnResult::late) {
    LATCHLAB_PATH("cql: a waiter has waited for too long");
    co_return co_await reset_and_come_back(want.lock, life);
  }
  co_return co_await come_back(want.lock, life);
}

Task<bool> Client::write_entry(LockRef lock, std::uint64_t index, bool exclusive,
                               std::uint32_t since) {
  const Entry entry{exclusive, me_, format_.version(index), since};
  const Completion written =
      co_await verbs_.write(lock.entry + 8 + 8 * format_.slot(index), format_.pack(entry));
  co_return written.ok();
}

// In the published code nodes time out one after the other.
Duration Client::patience() const {
  const std::uint32_t before = peers_.shape().servers + peers_.client_node_index(verbs_.node());
  return options_.timeout + options_.timeout_step * before;
}

// Waits for a notification about this reset count of the lock, a reset of it, or the timeout.
Task<Client::TurnResult> Client::wait_for_turn(Grant& grant) {
  const LockId lock = grant.lock.id;
  const auto count = static_cast<std::uint32_t>(grant.words[0]);
  const Time end = options_.timeout.ps > 0 ? verbs_.now() + patience() : kNever;
  for (;;) {
    WaitSet set;
    // All other messages in the inbox are out of date, answers to resets too, and occupy RECVs.
    set.add(MessageWait{inbox_, {}});
    WordWait reset;
    reset.word = peers_.node_lock_words(verbs_.node(), lock);
    reset.until = [count](std::uint64_t now) { return now > count; };
    set.add(reset);
    set.server = grant.lock.entry.node;
    set.life = life_of_count(count);
    set.deadline = end;
    if (PLANTED(cql_never_waits)) co_return TurnResult::mine;
    const WaitOutcome woke = co_await verbs_.first_of(set);
    if (woke.by == Woke::deadline) co_return TurnResult::late;
    if (woke.by == Woke::membership) co_return TurnResult::server_failed;
    if (woke.by == Woke::word) {
      LATCHLAB_PATH("cql: a waiter hears of a reset");
      co_return TurnResult::reset;
    }
    if (woke.message.type != kNotify) {
      LATCHLAB_PATH("cql: a late answer to a reset is ignored");
      continue;
    }
    const bool current = woke.message.generation >= count || PLANTED(cql_accepts_expired);
    if (woke.message.lock != lock || !current) {
      LATCHLAB_PATH("cql: an expired notification is ignored");
      continue;
    }
    grant.words[1] = woke.message.words[0];
    const bool entered = co_await enter_again(lock, count);
    if (entered) co_return TurnResult::mine;
    LATCHLAB_PATH("cql: a notification comes after the reset that it lost to");
    co_return TurnResult::reset;
  }
}

// The result of an acquisition that resets the lock, and has to be tried again.
Task<AcquireResult> Client::reset_and_come_back(LockRef lock, ServerLife life) {
  verbs_.mark(Phase::retry);
  const Reset ended = co_await reset(lock, life);
  if (ended == Reset::done) co_return Aborted{AbortReason::recovered};
  if (ended == Reset::failed) co_return co_await refuse(lock, life);
  co_return co_await come_back(lock, life);
}

// The result of an acquisition that has to be tried again, once the reset is over.
Task<AcquireResult> Client::come_back(LockRef lock, ServerLife life) {
  verbs_.mark(Phase::retry);
  const bool ended = co_await reset_ends(lock, life);
  if (!ended) co_return co_await refuse(lock, life);
  co_return Aborted{AbortReason::recovered};
}

}  // namespace latchlab::cql
