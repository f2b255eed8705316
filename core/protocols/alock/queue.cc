// The queue of a cohort: Algorithms 2 and 3. Both cohorts differ only in how they access memory.

#include <algorithm>

#include "core/base/check.h"
#include "core/base/paths.h"
#include "core/protocols/alock/client.h"
#include "core/protocols/common/masks.h"
#include "core/protocols/common/planted.h"

namespace latchlab::alock {

// ---- requests ----

// A successor may at any time write to a request that stayed in the tail of a failed server. So
// such a request is not used again, and the client joins no queue on such a server.
bool Client::can_ask(NodeId server) const {
  if (failed_.empty()) return true;
  const bool failed = std::find(failed_.begin(), failed_.end(), server) != failed_.end();
  return !failed && in_use_ != field_mask(0, options_.max_held);
}

std::uint64_t Client::take_request() {
  LATCHLAB_CHECK(in_use_ != field_mask(0, options_.max_held),
                 "more locks held at once than max_held");
  std::uint64_t number = 0;
  while ((in_use_ >> number & 1) != 0) ++number;
  in_use_ |= 1ULL << number;
  return number;
}

Client::Attempt Client::attempt_of(RemoteAddr entry, std::uint64_t number) const {
  Attempt attempt;
  attempt.entry = entry;
  attempt.request = words_ + number * kRequestBytes;
  attempt.by_cpu = options_.cohorts == Cohorts::two && entry.node == verbs_.node();
  attempt.cohort = attempt.by_cpu ? Cohort::local : Cohort::remote;
  return attempt;
}

Task<bool> Client::put(Attempt attempt, RemoteAddr word, std::uint64_t value) {
  if (attempt.by_cpu) {
    co_await verbs_.store(word, value);
    co_return true;
  }
  const Completion written = co_await verbs_.write(word, value);
  co_return written.ok();
}

// ---- acquire ----

Task<AcquireResult> Client::acquire(Want want, AcquireOptions /*options*/) {
  const NodeId server = want.lock.entry.node;
  if (!can_ask(server)) {
    LATCHLAB_PATH("alock: a server has failed before");
    // Without the READ, a caller that retries at once would do so for ever while no time passes.
    co_await verbs_.read(want.lock.entry);
    co_return Aborted{AbortReason::server_failed};
  }
  if (in_use_ == field_mask(0, options_.max_held)) {
    LATCHLAB_PATH("alock: the requests of forgotten grants are all in use");
    co_await verbs_.read(want.lock.entry);  // likewise
    co_return Aborted{AbortReason::too_many};
  }
  GrantWords mine;
  mine.number = take_request();
  const Attempt attempt = attempt_of(want.lock.entry, mine.number);
  verbs_.mark(Phase::initial_atomic);
  const Found before = co_await join(attempt);
  bool alive = before.ok;
  bool competes = before.value == 0;
  mine.budget = whole_budget(attempt);
  if (alive && !competes) {
    const std::uint64_t given = co_await follow(attempt, RemoteAddr::unpack(before.value));
    mine.followed = 1;
    competes = given == 0 && !PLANTED(alock_does_not_compete_again);
    if (given == 0) {
      LATCHLAB_PATH("alock: a cohort has spent its budget");
    } else {
      LATCHLAB_PATH("alock: a cohort keeps the lock");
      mine.budget = given;
    }
  }
  if (alive && competes) alive = co_await compete(attempt);
  if (!alive) {
    LATCHLAB_PATH("alock: the server fails an acquisition");
    failed_.push_back(server);
    co_return Aborted{AbortReason::server_failed};
  }
  Grant grant(want);
  grant.words = {mine.number, mine.budget, mine.followed};
  co_return grant;
}

// Puts the request into its cohort's tail, and returns the old tail.
Task<Client::Found> Client::join(Attempt attempt) {
  const RemoteAddr tail = attempt.entry + tail_of(attempt.cohort);
  const std::uint64_t me = attempt.request.packed();
  Found found;
  if (attempt.by_cpu) {
    if (options_.enqueue == Enqueue::single_cas) {
      found.value = co_await verbs_.cpu_compare_swap(tail, 0, me);
    } else {
      found.value = co_await verbs_.exchange(tail, me);
    }
    co_return found;
  }
  if (options_.enqueue == Enqueue::cas_loop) co_return co_await swap_by_cas(tail, me);
  Verb verb = cas_verb(tail, 0, me);
  if (options_.enqueue == Enqueue::exchange)
    verb = masked_cas_verb(tail, 8, {}, {}, {me, 0}, kAllOnes);
  const Completion before = co_await verbs_.issue(verb);
  found = {before.value.lo, before.ok()};
  co_return found;
}

// The first guess is 0, then what the last CAS found.
Task<Client::Found> Client::swap_by_cas(RemoteAddr word, std::uint64_t value) {
  Found found;
  for (;;) {
    const std::uint64_t guess = found.value;
    const Completion before = co_await verbs_.compare_swap(word, guess, value);
    found = {before.value.lo, before.ok()};
    if (!found.ok || found.value == guess) co_return found;
    LATCHLAB_PATH("alock: a CAS finds something else");
    verbs_.mark(Phase::retry);
  }
}

// Waits for the predecessor, and returns the budget that it grants.
Task<std::uint64_t> Client::follow(Attempt attempt, RemoteAddr predecessor) {
  verbs_.mark(Phase::notify_pred);
  const bool told = co_await put(attempt, predecessor + kNext, attempt.request.packed());
  if (!told) LATCHLAB_PATH("alock: a predecessor cannot be told");
  verbs_.mark(Phase::wait_pred);
  WordWait given;
  given.word = attempt.request + kBudget;
  given.until = [](std::uint64_t word) { return word != 0; };
  const WaitOutcome woke = co_await verbs_.await_local(given);
  co_return woke.value - 1;
}

// ---- release ----

Task<ReleaseResult> Client::release(Grant grant) {
  const GrantWords mine = {grant.words[0], grant.words[1], grant.words[2]};
  const Attempt attempt = attempt_of(grant.lock.entry, mine.number);
  std::uint64_t next = 0;
  if (options_.next_first && attempt.by_cpu) next = co_await verbs_.load(attempt.request + kNext);
  bool last = false;
  if (next == 0) {
    verbs_.mark(Phase::initial_atomic);
    const Found before = co_await try_to_empty(attempt);
    if (!before.ok) {
      LATCHLAB_PATH("alock: the server fails a release");
      failed_.push_back(attempt.entry.node);
      co_return ReleaseResult::released;  // the lock is lost with its server
    }
    last = before.value == attempt.request.packed();
  }
  if (last) {
    LATCHLAB_PATH("alock: a cohort leaves its queue empty");
  } else if (!PLANTED(alock_forgets_its_successor)) {
    co_await hand_on(attempt, next, mine.budget);
  }
  if (mine.followed != 0) co_await verbs_.store(attempt.request + kBudget, 0);
  give_request(mine.number);
  co_return ReleaseResult::released;
}

Task<Client::Found> Client::try_to_empty(Attempt attempt) {
  const RemoteAddr tail = attempt.entry + tail_of(attempt.cohort);
  const std::uint64_t me = attempt.request.packed();
  Found found;
  if (attempt.by_cpu && !PLANTED(alock_empties_the_local_tail_by_rnic)) {
    found.value = co_await verbs_.cpu_compare_swap(tail, me, 0);
    co_return found;
  }
  const Completion before = co_await verbs_.compare_swap(tail, me, 0);
  found = {before.value.lo, before.ok()};
  co_return found;
}

// Grants to the next request. `next` 0: that request has not announced itself yet.
Task<void> Client::hand_on(Attempt attempt, std::uint64_t next, std::uint64_t budget) {
  verbs_.mark(Phase::notify_succ);
  if (next == 0) {
    WordWait told;
    told.word = attempt.request + kNext;
    told.until = [](std::uint64_t word) { return word != 0; };
    const WaitOutcome woke = co_await verbs_.await_local(told);
    next = woke.value;
  }
  const std::uint64_t left = PLANTED(alock_spends_no_budget) ? budget : budget - 1;
  const bool told = co_await put(attempt, RemoteAddr::unpack(next) + kBudget, left + 1);
  if (!told) LATCHLAB_PATH("alock: a successor cannot be told");
  if (!PLANTED(alock_keeps_its_old_successor)) co_await verbs_.store(attempt.request + kNext, 0);
}

}  // namespace latchlab::alock
