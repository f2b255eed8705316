#include "core/protocols/dslr_plus/client.h"

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"

namespace latchlab::dslr_plus {

using dslr::Ticket;
using dslr::Tickets;

Grant Client::enter(const Want& want, const Ticket& ticket) const {
  if (ticket.last) LATCHLAB_PATH("dslr_plus: the last ticket of an era is served");
  Grant grant(want, ticket.mode);
  dslr::store(grant, {ticket}, false);
  return grant;
}

Task<AcquireResult> Client::acquire(Want want, AcquireOptions /*options*/) {
  const LockRef lock = want.lock;
  const LockMode mode = reader_or_writer(want);
  const Verb take_ticket = options_.word.add(lock.entry, dslr::next_ticket(mode), true);
  for (bool checked = true;;) {
    verbs_.mark(Phase::initial_atomic);
    const Completion taken = co_await verbs_.issue(take_ticket);
    if (!taken.ok()) {
      LATCHLAB_PATH("dslr_plus: the server fails an acquire");
      co_return Aborted{AbortReason::server_failed};
    }
    const Tickets seen = options_.word.unpack(taken.value);
    Ticket ticket{seen.max_x, seen.max_s, seen.max_u, 1, mode};
    if (checked && over_limit(options_, seen)) {
      LATCHLAB_PATH("dslr_plus: no tickets are left");
      verbs_.mark(Phase::retry);
      const bool again = co_await undo_and_rejoin(lock, ticket);
      if (!again) co_return Aborted{AbortReason::server_failed};
      checked = options_.rejoin_checked;
      continue;
    }
    ticket.last = checked && is_last(options_, ticket);
    const bool at_once = my_turn(ticket, seen);
    if (mode == LockMode::shared && at_once) LATCHLAB_PATH("dslr_plus: a reader enters at once");
    if (mode == LockMode::exclusive && at_once) LATCHLAB_PATH("dslr_plus: a writer enters at once");
    if (at_once) {
      adaptive_.completed(0, verbs_.now());
      co_return enter(want, ticket);
    }
    if (mode == LockMode::shared) LATCHLAB_PATH("dslr_plus: a reader waits for its turn");
    if (mode == LockMode::exclusive) LATCHLAB_PATH("dslr_plus: a writer waits for its turn");
    verbs_.mark(Phase::retry);
    co_return co_await back_off(want, ticket);
  }
}

// READ n and the pause after it are retry n-1.
Task<AcquireResult> Client::back_off(Want want, Ticket ticket) {
  const Options* const rules = &options_;
  const AdaptiveBackoff* const pauses = &adaptive_;
  const Salt salt{verbs_.random(~0ULL)};
  RemoteWait wait;
  wait.add(options_.word.read(want.lock.entry));
  wait.classify = [rules, ticket](const ProbeValues& values) {
    return my_turn(ticket, rules->word.unpack(values[0])) ? Verdict::done : Verdict::pending;
  };
  wait.pacing = [pauses, salt](const ProbeValues&, std::uint64_t misses) {
    return pauses->pause(misses - 1, salt);
  };
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end != WaitEnd::satisfied) {
    LATCHLAB_PATH("dslr_plus: the server fails a wait");
    co_return Aborted{AbortReason::server_failed};
  }
  LATCHLAB_PATH("dslr_plus: the turn of a waiting client comes");
  adaptive_.completed(end.tries - 1, verbs_.now());
  co_return enter(want, ticket);
}

bool Client::may_rejoin(const Tickets& now) const {
  const std::uint32_t limit = options_.word.count_max() - (options_.rejoin_early ? 0 : 1);
  return std::max(now.max_x, now.max_s) < limit;
}

Task<bool> Client::undo_and_rejoin(LockRef lock, Ticket ticket) {
  const Verb give_back = options_.word.add(lock.entry, dslr::next_ticket(ticket.mode), false);
  LATCHLAB_PATH("dslr_plus: a ticket is undone");
  if (!PLANTED(dslr_plus_keeps_its_ticket)) {
    const Completion undone = co_await verbs_.issue(give_back);
    if (!undone.ok()) co_return false;
  }
  RemoteWait wait;
  wait.add(options_.word.read(lock.entry));
  wait.classify = [this](const ProbeValues& values) {
    return may_rejoin(options_.word.unpack(values[0])) ? Verdict::done : Verdict::pending;
  };
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end != WaitEnd::satisfied) co_return false;
  LATCHLAB_PATH("dslr_plus: a client without a ticket sees the next era");
  co_return true;
}

Task<ReleaseResult> Client::release(Grant grant) {
  const Ticket ticket = dslr::ticket_in(grant).ticket;
  verbs_.mark(Phase::initial_atomic);
  const Verb serve_next = options_.word.add(grant.lock.entry, dslr::served(ticket.mode), true);
  const Completion served_before = co_await verbs_.issue(serve_next);
  if (ticket.mode == LockMode::shared) LATCHLAB_PATH("dslr_plus: a reader releases");
  if (ticket.mode == LockMode::exclusive) LATCHLAB_PATH("dslr_plus: a writer releases");
  if (!ticket.last || !served_before.ok() || PLANTED(dslr_plus_leaves_the_reset))
    co_return ReleaseResult::released;
  verbs_.mark(Phase::retry);
  LATCHLAB_PATH("dslr_plus: the last holder ends the era");
  Tickets from = served_up_to(ticket);
  if (PLANTED(dslr_plus_resets_over_readers)) {
    from = options_.word.unpack(served_before.value);
    (ticket.mode == LockMode::shared ? from.ns : from.nx) += 1;
  }
  co_await swap_until_zero(verbs_, options_.word, grant.lock, from);
  co_return ReleaseResult::released;
}

}  // namespace latchlab::dslr_plus
