#include "core/protocols/dslr/client.h"

#include "core/base/paths.h"
#include "core/protocols/common/modes.h"

namespace latchlab::dslr {

namespace {

// "Has not changed" for Progress::both: a change counts once both counters have moved since the
// last one that counted.
struct BothMoved {
  Tickets last;
  std::uint64_t changes = 0;
  bool any = false;

  std::uint64_t after(const Tickets& now) {
    if (!any || (last.nx != now.nx && last.ns != now.ns)) {
      last = now;
      any = true;
      ++changes;
    }
    return changes;
  }
};

}  // namespace

Grant Client::grant_of(const Want& want, LockMode mode, const Tickets& seen) {
  failures_.succeeded();
  failure_.any = false;  // "since last failure": of failures in a row
  Grant grant(want, mode);
  if (options_.lease.ps > 0) grant.valid_until = verbs_.now() + options_.lease;
  if (is_last(options_, seen, mode)) {
    LATCHLAB_PATH("dslr: the last ticket of an era is served");
    const bool shared = mode == LockMode::shared;
    grant.words = {1, shared ? seen.max_x : options_.word.count_max(),
                   shared ? options_.word.count_max() : seen.max_s, 0};
  }
  return grant;
}

Client::Duty Client::duty_of(const Grant& grant) {
  return {grant.words[0] != 0, static_cast<std::uint32_t>(grant.words[1]),
          static_cast<std::uint32_t>(grant.words[2])};
}

// Algorithm 1.
Task<AcquireResult> Client::acquire(Want want, AcquireOptions /*options*/) {
  const LockRef lock = want.lock;
  const LockMode mode = reader_or_writer(want);
  const Verb take_ticket = options_.word.add(lock.entry, next_ticket(mode), true);
  for (;;) {
    verbs_.mark(Phase::initial_atomic);
    const Completion taken = co_await verbs_.issue(take_ticket);
    if (!taken.ok()) {
      LATCHLAB_PATH("dslr: the server fails an acquire");
      co_return Aborted{AbortReason::server_failed};
    }
    const Tickets seen = options_.word.unpack(taken.value);
    const Ticket ticket{seen.max_x, seen.max_s, mode};
    if (over_limit(options_, seen)) {
      LATCHLAB_PATH("dslr: no tickets are left");
      verbs_.mark(Phase::retry);
      const std::optional<Aborted> over = co_await sit_out(lock, ticket, seen);
      if (over) co_return *over;
      continue;
    }
    const bool shared = mode == LockMode::shared;
    if (my_turn(ticket, seen)) {
      if (shared) LATCHLAB_PATH("dslr: a reader enters at once");
      if (!shared) LATCHLAB_PATH("dslr: a writer enters at once");
      co_return grant_of(want, mode, seen);
    }
    if (shared) LATCHLAB_PATH("dslr: a reader waits for its turn");
    if (!shared) LATCHLAB_PATH("dslr: a writer waits for its turn");
    verbs_.mark(Phase::retry);
    co_return co_await handle_conflict(want, ticket, seen);
  }
}

// Algorithm 2.
Task<AcquireResult> Client::handle_conflict(Want want, Ticket ticket, Tickets seen) {
  const LockRef lock = want.lock;
  const Options* const rules = &options_;
  BothMoved both;
  BothMoved* const both_moved = &both;
  RemoteWait wait;
  wait.add(options_.word.read(lock.entry));
  wait.classify = [rules, ticket](const ProbeValues& values) {
    return judge(*rules, ticket, rules->word.unpack(values[0]));
  };
  wait.pacing = [rules, ticket](const ProbeValues& values, std::uint64_t) {
    return pause(*rules, ticket, rules->word.unpack(values[0]));
  };
  wait.pause_first = options_.pause_before_read;
  wait.first_seen = options_.word.pack(seen);
  wait.unchanged_for = options_.timeout();
  wait.observe = [rules, both_moved](const ProbeValues& values) {
    const Tickets now = rules->word.unpack(values[0]);
    if (rules->progress == Progress::both) return Words{both_moved->after(now), 0};
    return Words{now.nx, now.ns};
  };
  for (;;) {
    const RemoteWaitResult end = co_await verbs_.await_remote(wait);
    const Tickets now = options_.word.unpack(end.values[0]);
    // The ticket, not what was read last, says whether this holder ends the era.
    const Tickets at_ticket{now.nx, now.ns, ticket.x, ticket.s};
    if (end.end == WaitEnd::satisfied) {
      LATCHLAB_PATH("dslr: the turn of a waiting client comes");
      co_return grant_of(want, ticket.mode, at_ticket);
    }
    if (end.end == WaitEnd::failed) {
      LATCHLAB_PATH("dslr: the server fails a wait");
      co_return Aborted{AbortReason::server_failed};
    }
    if (end.end == WaitEnd::abandoned) {
      if (passed(options_, ticket, now)) LATCHLAB_PATH("dslr: a waiting client has been passed");
      if (!passed(options_, ticket, now)) LATCHLAB_PATH("dslr: a waiting client is in a new era");
      co_return co_await fail(AbortReason::recovered);
    }
    LATCHLAB_PATH("dslr: nobody is served for two leases");
    if (co_await repair(lock, ticket, now)) co_return co_await fail(AbortReason::recovered);
  }
}

Task<AcquireResult> Client::fail(AbortReason reason) {
  co_await failures_.pause(verbs_);
  co_return Aborted{reason};
}

// Algorithm 3.
Task<ReleaseResult> Client::release(Grant grant) {
  const Duty duty = duty_of(grant);
  const bool late = verbs_.now() >= grant.valid_until;
  const bool forced = options_.late_release == LateRelease::always ||
                      (options_.late_release == LateRelease::suppress_unless_reset && duty.mine);
  if (late && !forced) {
    LATCHLAB_PATH("dslr: a late release is suppressed");
    co_return ReleaseResult::suppressed;
  }
  if (late) LATCHLAB_PATH("dslr: a late release goes ahead");
  verbs_.mark(Phase::initial_atomic);
  const Verb serve_next = options_.word.add(grant.lock.entry, served(grant.mode), true);
  const Completion served_before = co_await verbs_.issue(serve_next);
  if (grant.mode == LockMode::shared) LATCHLAB_PATH("dslr: a reader releases");
  if (grant.mode == LockMode::exclusive) LATCHLAB_PATH("dslr: a writer releases");
  if (!duty.mine || !served_before.ok()) co_return ReleaseResult::released;
  verbs_.mark(Phase::retry);
  Tickets seen = options_.word.unpack(served_before.value);
  ++(grant.mode == LockMode::shared ? seen.ns : seen.nx);
  co_await end_era(grant.lock, duty, seen);
  co_return ReleaseResult::released;
}

}  // namespace latchlab::dslr
