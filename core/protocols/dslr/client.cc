#include "core/protocols/dslr/client.h"

#include "core/base/paths.h"
#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"

namespace latchlab::dslr {

namespace {

// Counts changes for Progress::both: a change counts once both counters have moved since the last
// counted change.
struct BothMoved {
  Tickets last;
  std::uint64_t changes = 0;
  bool any = false;

  std::uint64_t after(const Options& options, const Tickets& now) {
    if (!any || moved(options, last, now)) {
      last = now;
      any = true;
      ++changes;
    }
    return changes;
  }
};

}  // namespace

LockMode Client::mode_of(const Want& want) const {
  return options_.six ? want.mode : reader_or_writer(want);
}

std::optional<Grant> Client::enter(const Want& want, const Ticket& ticket, const Tickets& seen,
                                   Time not_yet) {
  Grant grant(want, ticket.mode);
  const Time now = verbs_.now();
  grant.valid_until = valid_until(options_, ticket, now, not_yet);
  if (now >= grant.valid_until) {
    LATCHLAB_PATH("dslr: a client sees its turn too late");
    return std::nullopt;
  }
  failures_.succeeded(want.lock.id);
  failure_.any = false;  // only consecutive failures count
  if (ticket.last) LATCHLAB_PATH("dslr: the last ticket of an era is served");
  store(grant, {ticket, ticket.mode == LockMode::update && readers_gone(ticket, seen)},
        options_.late_release == LateRelease::unless_repaired);
  return grant;
}

// Algorithm 1.
Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  const LockRef lock = want.lock;
  const LockMode mode = mode_of(want);
  const std::uint32_t slots = slots_for(options_, options.expected_hold);
  const Verb take_ticket = options_.word.add(lock.entry, next_ticket(mode), true, slots);
  for (;;) {
    verbs_.mark(Phase::initial_atomic);
    const Time asked = options_.dates_looks() ? verbs_.now() : Time{};
    const Completion taken = co_await verbs_.issue(take_ticket);
    if (!taken.ok()) {
      LATCHLAB_PATH("dslr: the server fails an acquire");
      co_return Aborted{AbortReason::server_failed};
    }
    const Tickets seen = options_.word.unpack(taken.value);
    Ticket ticket{seen.max_x, seen.max_s, seen.max_u, slots, mode};
    if (over_limit(options_, seen)) {
      LATCHLAB_PATH("dslr: no tickets are left");
      verbs_.mark(Phase::retry);
      const std::optional<Aborted> over = co_await sit_out(lock, ticket, seen);
      if (over) co_return *over;
      continue;
    }
    ticket.last = is_last(options_, ticket);
    if (slots > 1) LATCHLAB_PATH("dslr: a client takes several tickets");
    const bool at_once = my_turn(ticket, seen);
    if (mode == LockMode::update && at_once) LATCHLAB_PATH("dslr: an update enters at once");
    if (mode == LockMode::update && !at_once) LATCHLAB_PATH("dslr: an update waits for its turn");
    if (mode == LockMode::shared && at_once) LATCHLAB_PATH("dslr: a reader enters at once");
    if (mode == LockMode::exclusive && at_once) LATCHLAB_PATH("dslr: a writer enters at once");
    if (at_once) {
      const std::optional<Grant> grant = enter(want, ticket, seen, asked);
      if (grant) co_return *grant;
      co_return co_await fail(lock.id, AbortReason::recovered);
    }
    if (mode == LockMode::shared) LATCHLAB_PATH("dslr: a reader waits for its turn");
    if (mode == LockMode::exclusive) LATCHLAB_PATH("dslr: a writer waits for its turn");
    verbs_.mark(Phase::retry);
    co_return co_await handle_conflict(want, ticket, seen, asked);
  }
}

// Algorithm 2.
Task<AcquireResult> Client::handle_conflict(Want want, Ticket ticket, Tickets seen, Time asked) {
  const LockRef lock = want.lock;
  const Options* const rules = &options_;
  BothMoved both;
  BothMoved* const both_moved = &both;
  Looks looks{verbs_, asked};
  Looks* const all_looks = &looks;
  RemoteWait wait;
  wait.add(options_.word.read(lock.entry));
  wait.classify = [rules, ticket](const ProbeValues& values) {
    return judge(*rules, ticket, rules->word.unpack(values[0]));
  };
  wait.pacing = [rules, ticket, all_looks](const ProbeValues& values, std::uint64_t) {
    if (rules->dates_looks()) all_looks->next();
    return pause(*rules, ticket, rules->word.unpack(values[0]));
  };
  wait.pause_first = options_.pause_before_read;
  wait.first_seen = options_.word.pack(seen);
  wait.unchanged_for = options_.timeout(outstanding(options_, ticket, seen));
  wait.observe = [rules, both_moved](const ProbeValues& values) {
    const Tickets now = rules->word.unpack(values[0]);
    if (rules->progress == Progress::both) return Words{both_moved->after(*rules, now), 0};
    return served_counters(now);
  };
  for (;;) {
    const RemoteWaitResult end = co_await verbs_.await_remote(wait);
    const Tickets now = options_.word.unpack(end.values[0]);
    if (end.end == WaitEnd::satisfied) {
      LATCHLAB_PATH("dslr: the turn of a waiting client comes");
      const std::optional<Grant> grant = enter(want, ticket, now, looks.last_but_one);
      if (grant) co_return *grant;
      co_return co_await fail(lock.id, AbortReason::recovered);
    }
    if (end.end == WaitEnd::failed) {
      LATCHLAB_PATH("dslr: the server fails a wait");
      co_return Aborted{AbortReason::server_failed};
    }
    if (end.end == WaitEnd::abandoned) {
      if (passed(options_, ticket, now)) LATCHLAB_PATH("dslr: a waiting client has been passed");
      if (!passed(options_, ticket, now)) LATCHLAB_PATH("dslr: a waiting client is in a new era");
      co_return co_await fail(lock.id, AbortReason::recovered);
    }
    LATCHLAB_PATH("dslr: no ticket is served for two leases");
    if (co_await repair(lock, ticket, now))
      co_return co_await fail(lock.id, AbortReason::recovered);
    if (options_.dates_looks()) looks.next();
  }
}

Task<AcquireResult> Client::fail(LockId lock, AbortReason reason) {
  co_await failures_.pause(verbs_, lock);
  co_return Aborted{reason};
}

// Algorithm 3.
Task<ReleaseResult> Client::release(Grant grant) {
  const Ticket ticket = ticket_in(grant).ticket;
  const bool late = verbs_.now() >= grant.valid_until;
  if (late && options_.late_release == LateRelease::unless_repaired) {
    const std::optional<Tickets> after = co_await serve_late(grant.lock, ticket, grant.valid_until);
    if (!after) LATCHLAB_PATH("dslr: a late release finds the lock repaired");
    if (!after) co_return ReleaseResult::suppressed;
    if (ticket.last) co_await end_era(grant.lock, served_up_to(ticket), *after);
    co_return ReleaseResult::released;
  }
  const bool forced = options_.late_release == LateRelease::always ||
                      (options_.late_release == LateRelease::suppress_unless_reset && ticket.last);
  if (late && !forced) {
    LATCHLAB_PATH("dslr: a late release is suppressed");
    co_return ReleaseResult::suppressed;
  }
  if (late) LATCHLAB_PATH("dslr: a late release goes ahead");
  verbs_.mark(Phase::initial_atomic);
  const std::uint32_t slots = PLANTED(dslr_release_adds_one) ? 1 : ticket.slots;
  const Counter counter = served(ticket.mode);
  const Verb serve_next = options_.word.add(grant.lock.entry, counter, true, slots);
  const Completion served_before = co_await verbs_.issue(serve_next);
  if (ticket.mode == LockMode::shared) LATCHLAB_PATH("dslr: a reader releases");
  if (ticket.mode == LockMode::exclusive) LATCHLAB_PATH("dslr: a writer releases");
  if (ticket.mode == LockMode::update) LATCHLAB_PATH("dslr: an update releases");
  if (!ticket.last || !served_before.ok()) co_return ReleaseResult::released;
  verbs_.mark(Phase::retry);
  Tickets seen = options_.word.unpack(served_before.value);
  if (counter == Counter::nx) seen.nx += slots;
  if (counter == Counter::ns) seen.ns += slots;
  if (counter == Counter::nu) seen.nu += slots;
  const Tickets from = served_up_to(ticket);
  co_await end_era(grant.lock, from, seen);
  co_return ReleaseResult::released;
}

}  // namespace latchlab::dslr
