// DSLR's recovery: when tickets have run out, or no client has been served for two leases.

#include "core/base/paths.h"
#include "core/protocols/common/backoff.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/dslr/client.h"

namespace latchlab::dslr {

Task<bool> Client::swap(LockRef lock, Tickets from, Tickets to) {
  const Verb exchange =
      options_.word.swap(lock.entry, options_.word.pack(from), options_.word.pack(to));
  const Completion before = co_await verbs_.issue(exchange);
  co_return before.ok() && matched(exchange, before.value);
}

// Algorithm 2, lines 11 to 19. Newcomers change the word without serving any client, so a failed
// CAS is repeated while the served counters do not change. If a ticket counter has gone back, the
// served counters have the same numbers in another era.
Task<bool> Client::repair(LockRef lock, Ticket ticket, Tickets seen) {
  const auto same_era = [&seen](const Tickets& now) {
    return now.nx == seen.nx && now.ns == seen.ns && now.max_x >= seen.max_x &&
           now.max_s >= seen.max_s && now.nu == seen.nu && now.max_u >= seen.max_u;
  };
  for (Tickets now = seen; same_era(now);) {
    const Tickets next = repaired(options_, ticket, now);
    const Verb exchange =
        options_.word.swap(lock.entry, options_.word.pack(now), options_.word.pack(next));
    const Completion before = co_await verbs_.issue(exchange);
    if (!before.ok()) co_return false;
    if (matched(exchange, before.value)) {
      ++recoveries_;
      if (options_.repair == Repair::own_ticket) {
        LATCHLAB_PATH("dslr: a repair goes up to the own ticket");
      } else if (is_tombstone(options_, next)) {
        LATCHLAB_PATH("dslr: a repair leaves a tombstone");
      } else {
        LATCHLAB_PATH("dslr: a repair sends everyone back");
      }
      const bool to_zero = options_.repair == Repair::own_ticket && over_limit(options_, next);
      if (to_zero) co_await swap_until_zero(verbs_, options_.word, lock, next);
      co_return true;
    }
    now = options_.word.unpack(before.value);
    LATCHLAB_PATH("dslr: a repair finds the word changed");
  }
  LATCHLAB_PATH("dslr: a repair is not needed after all");
  co_return false;
}

// A CAS fails if another client has changed the word, which may happen without a repair; then it is
// repeated. The era cannot end before this ticket is served or the lock is repaired. The tries stop
// a lease after the end of the grant, when a whole era may have passed.
Task<std::optional<Tickets>> Client::serve_late(LockRef lock, Ticket ticket, Time valid_until) {
  verbs_.mark(Phase::retry);
  const Completion read = co_await verbs_.issue(options_.word.read(lock.entry));
  if (!read.ok()) co_return std::nullopt;
  Tickets now = options_.word.unpack(read.value);
  const Time end = saturating_add(valid_until, options_.lease);
  while (still_my_turn(options_, ticket, now) && verbs_.now() < end) {
    const Tickets next = served_once_more(ticket, now);
    const Verb exchange =
        options_.word.swap(lock.entry, options_.word.pack(now), options_.word.pack(next));
    const Completion before = co_await verbs_.issue(exchange);
    if (!before.ok()) co_return std::nullopt;
    if (matched(exchange, before.value)) {
      LATCHLAB_PATH("dslr: a late release finds the lock as it was");
      co_return next;
    }
    now = options_.word.unpack(before.value);
  }
  co_return std::nullopt;
}

Task<std::optional<Aborted>> Client::sit_out(LockRef lock, Ticket ticket, Tickets seen) {
  if (options_.over_limit == OverLimit::undo) return undo_ticket(lock, ticket, seen);
  return wait_for_new_era(lock, ticket, seen);
}

// Algorithm 1, lines 5 to 9.
Task<std::optional<Aborted>> Client::undo_ticket(LockRef lock, Ticket ticket, Tickets seen) {
  const Verb give_back =
      options_.word.add(lock.entry, next_ticket(ticket.mode), false, ticket.slots);
  LATCHLAB_PATH("dslr: a ticket is undone");
  const Completion undone = co_await verbs_.issue(give_back);
  if (!undone.ok()) co_return Aborted{AbortReason::server_failed};
  co_await failures_.pause(verbs_, lock.id);
  const bool known = failure_.any && failure_.lock == lock.id;
  if (!known || moved(options_, failure_.seen, seen))
    failure_ = {lock.id, seen, verbs_.now(), true};
  const Duration timeout = options_.timeout(outstanding(options_, ticket, seen));
  if (options_.lease.ps > 0 && verbs_.now() - failure_.since > timeout) {
    co_await reset_when_stuck(lock, ticket, seen);
    failure_.any = false;
  }
  co_return Aborted{AbortReason::too_many};
}

// The ticket, which cannot be served, stays in the word. Its owner READs until the entry is zero.
Task<std::optional<Aborted>> Client::wait_for_new_era(LockRef lock, Ticket ticket, Tickets seen) {
  const Options* const rules = &options_;
  const Salt salt{verbs_.random(~0ULL)};
  RemoteWait wait;
  wait.add(options_.word.read(lock.entry));
  wait.classify = [rules](const ProbeValues& values) {
    return over_limit(*rules, rules->word.unpack(values[0])) ? Verdict::pending : Verdict::done;
  };
  wait.pacing = [rules, salt](const ProbeValues&, std::uint64_t misses) {
    return random_backoff(rules->backoff_first, rules->backoff_bound, misses + 1, salt);
  };
  wait.pause_first = true;
  // A whole era may pass between two looks, and its holders may have more slots than these had.
  wait.unchanged_for = options_.timeout(
      std::max<std::uint64_t>(outstanding(options_, ticket, seen), options_.max_slots));
  wait.observe = [rules](const ProbeValues& values) {
    const Tickets now = rules->word.unpack(values[0]);
    return served_counters(now);
  };
  for (;;) {
    const RemoteWaitResult end = co_await verbs_.await_remote(wait);
    if (end.end == WaitEnd::satisfied) {
      LATCHLAB_PATH("dslr: a client without a ticket sees the next era");
      co_return std::nullopt;
    }
    if (end.end == WaitEnd::failed) co_return Aborted{AbortReason::server_failed};
    co_await reset_when_stuck(lock, ticket, options_.word.unpack(end.values[0]));
  }
}

// No client was served for two leases while no tickets were left.
Task<void> Client::reset_when_stuck(LockRef lock, Ticket ticket, Tickets seen) {
  LATCHLAB_PATH("dslr: no ticket is served for two leases and no tickets are left");
  if (options_.over_limit == OverLimit::undo) {
    const Completion now = co_await verbs_.issue(options_.word.read(lock.entry));
    if (!now.ok()) co_return;
    seen = options_.word.unpack(now.value);
    if (!over_limit(options_, seen)) co_return;
  }
  if (options_.repair == Repair::everyone && is_tombstone(options_, seen)) {
    LATCHLAB_PATH("dslr: a tombstone is taken away");
    co_await swap(lock, seen, {});
    co_return;
  }
  co_await repair(lock, ticket, seen);
}

// The holder of the last ticket waits until every ticket has been served, then sets the entry to
// zero. `seen`: the entry after this holder's own release.
Task<void> Client::end_era(LockRef lock, Tickets from, Tickets seen) {
  if (options_.over_limit == OverLimit::undo) {
    co_await swap_until_zero(verbs_, options_.word, lock, from);
  } else {
    co_await wait_and_end_era(lock, from, seen);
  }
}

Task<void> Client::wait_and_end_era(LockRef lock, Tickets from, Tickets seen) {
  const Options* const rules = &options_;
  const Tickets* const all = &from;
  const Ticket last{from.nx, from.ns, from.nu};
  RemoteWait wait;
  wait.add(options_.word.read(lock.entry));
  wait.classify = [rules, all](const ProbeValues& values) {
    const Tickets now = rules->word.unpack(values[0]);
    // Another client has ended the era, or is about to.
    if (is_tombstone(*rules, now) || !over_limit(*rules, now)) return Verdict::abandon;
    return served_counters(now) == served_counters(*all) ? Verdict::done : Verdict::pending;
  };
  wait.pacing = [rules](const ProbeValues&, std::uint64_t) { return rules->omega; };
  wait.unchanged_for = options_.timeout(outstanding(options_, last, seen));
  wait.observe = [rules](const ProbeValues& values) {
    return served_counters(rules->word.unpack(values[0]));
  };
  for (bool served = served_counters(seen) == served_counters(from);;) {
    if (served && co_await swap(lock, seen, {})) {
      LATCHLAB_PATH("dslr: the last holder ends the era");
      co_return;
    }
    if (!served) LATCHLAB_PATH("dslr: the last holder waits for the other holders");
    const RemoteWaitResult end = co_await verbs_.await_remote(wait);
    seen = options_.word.unpack(end.values[0]);
    served = end.end == WaitEnd::satisfied;
    if (end.end == WaitEnd::abandoned) LATCHLAB_PATH("dslr: another client has ended the era");
    if (end.end == WaitEnd::unchanged) {
      LATCHLAB_PATH("dslr: the last holder waits in vain");
      co_await repair(lock, last, seen);
      co_return;
    }
    if (!served) co_return;
  }
}

}  // namespace latchlab::dslr
