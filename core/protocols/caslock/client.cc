#include "core/protocols/caslock/client.h"

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"

// A path of the lock that the client belongs to.
#define PATH(label) LATCHLAB_PATH_OF(Lock::kPrefix, label)

namespace latchlab::caslock {

template <class Lock>
Task<AcquireResult> Client<Lock>::acquire(Want want, AcquireOptions options) {
  const bool shared = want.mode == LockMode::shared;
  verbs_.mark(Phase::initial_atomic);
  Task<Tried> tries = shared ? enter_shared(want.lock.entry, options.deadline)
                             : enter_exclusive(want.lock.entry, options.deadline);
  const Tried tried = co_await tries;
  if (tried.end != End::entered)
    co_return co_await give_up(want.lock.id, tried.end, options.deadline);
  if (options_.adaptive) adaptive_.completed(tried.retries, verbs_.now());
  failures_.succeeded(want.lock.id);
  co_return Grant(want, reader_or_writer(want));
}

template <class Lock>
Task<AcquireResult> Client<Lock>::give_up(LockId lock, End end, Time deadline) {
  if (end == End::server_failed) {
    PATH("the server fails an acquire");
    co_return Aborted{AbortReason::server_failed};
  }
  if constexpr (!Lock::kOnlyStays) {
    if (end == End::out_of_tries) {
      PATH("a client has used up its tries");
      co_await failures_.pause(verbs_, lock, deadline);
      co_return Aborted{AbortReason::too_many};
    }
  }
  PATH("a client gives up at its deadline");
  co_return Aborted{AbortReason::deadline};
}

// ---- writers ----

template <class Lock>
auto Client<Lock>::enter_exclusive(RemoteAddr entry, Time deadline) -> Task<Tried> {
  const Verb take = word_.take(entry, me());
  const Completion first = co_await verbs_.issue(take);
  if (!first.ok()) co_return Tried{End::server_failed, 0};
  if (first.value.lo == 0) {
    PATH("a writer enters at once");
    co_return Tried{};
  }
  const std::uint64_t seen = word_.readers(first.value.lo);
  if (word_.owner(first.value.lo) != 0) {
    PATH("a writer finds a writer");
  } else {
    PATH("a writer finds readers");
    if (PLANTED(caslock_writer_joins_readers)) {
      const Verb join = cas_verb(entry, seen, word_.owned_by(me(), seen));
      const Completion joined = co_await verbs_.issue(join);
      if (joined.value.lo == seen) co_return Tried{};
    }
  }
  verbs_.mark(Phase::retry);
  const Tried tried = co_await keep_trying(take, first.value, deadline);
  if (tried.end == End::entered) PATH("a writer enters after retries");
  co_return tried;
}

template <class Lock>
Task<void> Client<Lock>::leave_exclusive(RemoteAddr entry) {
  if constexpr (!Lock::kOnlyStays) {
    if (options_.release == Release::subtract) {
      PATH("a writer leaves by FAA");
      Verb subtract = word_.subtract(entry, me());
      if (PLANTED(caslock_subtracts_a_count_as_well)) --subtract.value.lo;
      const Completion left = co_await verbs_.issue(subtract);
      if (!left.ok()) PATH("the server fails a release");
      co_return;
    }
  }
  std::uint64_t readers = 0;
  for (;;) {
    Verb leave = word_.leave(entry, me(), readers);
    if (PLANTED(caslock_release_wipes_counts)) leave.value.lo = 0;
    const Completion seen = co_await verbs_.issue(leave);
    if (!seen.ok()) {
      PATH("the server fails a release");
      co_return;
    }
    if (seen.value == leave.compare) {
      PATH("a writer leaves by CAS");
      co_return;
    }
    verbs_.mark(Phase::retry);
    if constexpr (!Lock::kOnlyStays)
      if (options_.release == Release::exact) break;
    PATH("a writer that leaves follows the count of readers");
    readers = word_.readers(seen.value.lo);
  }
  if constexpr (!Lock::kOnlyStays) {
    PATH("a writer that leaves waits for readers to withdraw");
    co_await leave_when_alone(entry);
  }
}

template <class Lock>
Task<void> Client<Lock>::leave_when_alone(RemoteAddr entry) {
  const std::uint64_t alone = word_.owned_by(me(), 0);
  RemoteWait wait;
  wait.add(word_.leave(entry, me(), 0));
  wait.classify = [alone](const ProbeValues& before) {
    return before[0].lo == alone ? Verdict::done : Verdict::pending;
  };
  const RemoteWaitResult left = co_await verbs_.await_remote(wait);
  if (left.end != WaitEnd::satisfied) PATH("the server fails a release");
}

// ---- readers ----

template <class Lock>
auto Client<Lock>::enter_shared(RemoteAddr entry, Time deadline) -> Task<Tried> {
  const Verb arrive = Word::arrive(entry);
  const Completion first = co_await verbs_.issue(arrive);
  if (!first.ok()) co_return Tried{End::server_failed, 0};
  if (word_.owner(first.value.lo) == 0) {
    PATH("a reader enters at once");
    co_return Tried{};
  }
  if constexpr (!Lock::kOnlyStays)
    if (options_.conflict != Conflict::stay)
      co_return co_await withdraw_and_retry(entry, first.value, deadline);
  co_return co_await stay_counted(entry, first.value, deadline);
}

template <class Lock>
auto Client<Lock>::stay_counted(RemoteAddr entry, Words seen, Time deadline) -> Task<Tried> {
  PATH("a reader stays and waits for the writer");
  verbs_.mark(Phase::wait_writers);
  const Verb look = read_verb(entry);
  const Tried tried = co_await keep_trying(look, seen, deadline);
  if (tried.end == End::entered) PATH("the writer leaves before a reader that waits");
  if (tried.end == End::deadline || tried.end == End::out_of_tries) {
    PATH("a reader that waits takes its count back");
    const Verb depart = Word::depart(entry);
    if (!PLANTED(caslock_gives_up_and_stays_counted)) {
      const Completion departed = co_await verbs_.issue(depart);
      if (!departed.ok()) PATH("the server fails a reader that gives up");
    }
  }
  co_return tried;
}

// Starts with this reader's count in the word, after a failed try whose FAA saw `seen`. A try is
// two verbs, and the second depends on the first, so that await_remote cannot issue it.
template <class Lock>
auto Client<Lock>::withdraw_and_retry(RemoteAddr entry, Words seen, Time deadline) -> Task<Tried> {
  const Verb arrive = Word::arrive(entry);
  const Verb depart = Word::depart(entry);
  const Salt salted = salt();
  // Failed tries, counted only if an option depends on them, so that equal states stay equal.
  std::uint64_t failed = 0;
  const bool counted = options_.pauses() || options_.timeout_tries > 0;
  verbs_.mark(Phase::retry);
  for (;;) {
    const bool first = word_.readers(seen.lo) == 0;
    if (first && options_.conflict == Conflict::first_stays)
      co_return co_await stay_counted(entry, seen, deadline);
    PATH("a reader withdraws its count");
    if (!PLANTED(caslock_retries_without_withdrawing)) {
      const Completion departed = co_await verbs_.issue(depart);
      if (!departed.ok()) {
        PATH("the server fails a reader that withdraws");
        co_return Tried{End::server_failed, failed};
      }
    }
    if (counted) ++failed;
    if (verbs_.now() >= deadline) co_return Tried{End::deadline, failed};
    if (counted && failed == options_.timeout_tries) co_return Tried{End::out_of_tries, failed};
    if (first && options_.conflict == Conflict::first_looks) {
      PATH("a reader that is not counted waits for the writer");
      RemoteWait wait;
      wait.add(read_verb(entry));
      wait.classify = [this](const ProbeValues& values) {
        return may_enter(true, values[0].lo) ? Verdict::done : Verdict::pending;
      };
      wait.deadline = deadline;
      const RemoteWaitResult end = co_await verbs_.await_remote(wait);
      if (end.end == WaitEnd::deadline) co_return Tried{End::deadline, failed};
      if (end.end != WaitEnd::satisfied) co_return Tried{End::server_failed, failed};
    } else {
      const Duration length = pause(failed - 1, salted);
      co_await sleep_until(length, deadline);
    }
    const Completion arrived = co_await verbs_.issue(arrive);
    if (!arrived.ok()) co_return Tried{End::server_failed, failed};
    if (word_.owner(arrived.value.lo) == 0) {
      PATH("a reader enters after retries");
      co_return Tried{End::entered, failed};
    }
    seen = arrived.value;
  }
}

// ---- both ----

template <class Lock>
Duration Client<Lock>::pause(std::uint64_t retry, Salt salt) const {
  if (options_.adaptive) return adaptive_.pause(retry, salt);
  if (!options_.random) return {};
  return random_backoff(options_.backoff_first, options_.backoff_bound, retry + 1, salt);
}

template <class Lock>
Task<void> Client<Lock>::sleep_until(Duration length, Time deadline) {
  if (length.ps <= 0) co_return;
  const Time now = verbs_.now();
  const Time end = std::min(saturating_add(now, length), deadline);
  if (end > now) co_await verbs_.sleep(end - now);
}

// Called after a first failed try that saw `seen`: a writer's CAS, or a reader's READ. With a limit
// of tries the verbs are issued here, because await_remote has no such limit.
template <class Lock>
auto Client<Lock>::keep_trying(Verb probe, Words seen, Time deadline) -> Task<Tried> {
  if (Lock::kOnlyStays || options_.timeout_tries == 0)
    co_return co_await wait_without_limit(probe, seen, deadline);
  const bool reader = probe.kind == VerbKind::read;
  const Salt salted = salt();
  std::uint64_t failed = 1;
  for (;;) {
    if (verbs_.now() >= deadline) co_return Tried{End::deadline, failed};
    if (failed == options_.timeout_tries) co_return Tried{End::out_of_tries, failed};
    const Duration length = pause(failed - 1, salted);
    co_await sleep_until(length, deadline);
    const Completion next = co_await verbs_.issue(probe);
    if (!next.ok()) co_return Tried{End::server_failed, failed};
    if (may_enter(reader, next.value.lo)) co_return Tried{End::entered, failed};
    ++failed;
  }
}

template <class Lock>
auto Client<Lock>::wait_without_limit(Verb probe, Words seen, Time deadline) -> Task<Tried> {
  const bool reader = probe.kind == VerbKind::read;
  RemoteWait wait;
  wait.add(probe);
  wait.classify = [this, reader](const ProbeValues& before) {
    return may_enter(reader, before[0].lo) ? Verdict::done : Verdict::pending;
  };
  if (options_.pauses()) {
    PATH("retries follow with a pause");
    const Salt salted = salt();
    wait.pacing = [this, salted](const ProbeValues&, std::uint64_t misses) {
      return pause(misses, salted);
    };
  } else {
    PATH("retries follow at once");
  }
  wait.pause_first = true;
  wait.first_seen = seen;
  wait.deadline = deadline;
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end == WaitEnd::satisfied) co_return Tried{End::entered, end.tries};
  co_return Tried{end.end == WaitEnd::deadline ? End::deadline : End::server_failed, end.tries};
}

template <class Lock>
Task<ReleaseResult> Client<Lock>::release(Grant grant) {
  verbs_.mark(Phase::initial_atomic);
  if (grant.mode == LockMode::shared) {
    PATH("a reader leaves");
    const Verb depart = Word::depart(grant.lock.entry);
    const Completion departed = co_await verbs_.issue(depart);
    if (!departed.ok()) PATH("the server fails a release");
  } else {
    co_await leave_exclusive(grant.lock.entry);
  }
  co_return ReleaseResult::released;
}

// Only these are instantiated, with the functions that they call, so that no path is registered
// that the lock cannot take.
template Task<AcquireResult> Client<CasLock>::acquire(Want, AcquireOptions);
template Task<ReleaseResult> Client<CasLock>::release(Grant);
template Task<AcquireResult> Client<RetryOnFail>::acquire(Want, AcquireOptions);
template Task<ReleaseResult> Client<RetryOnFail>::release(Grant);

}  // namespace latchlab::caslock

#undef PATH
