#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/rma_rw/client.h"

namespace latchlab::rma_rw {

Task<AcquireResult> Client::acquire_shared(Want want, AcquireOptions options) {
  verbs_.mark(Phase::initial_atomic);
  for (bool wait = false;;) {
    if (wait) {
      const WaitEnd end = co_await wait_at_barrier(want.lock, options.deadline);
      if (end == WaitEnd::failed) {
        LATCHLAB_PATH("rma_rw: the server fails a reader that waits");
        co_return Aborted{AbortReason::server_failed};
      }
      if (end == WaitEnd::deadline) {
        LATCHLAB_PATH("rma_rw: a reader gives up at its deadline");
        co_return Aborted{AbortReason::deadline};
      }
    }
    const Step step = co_await arrive(want.lock, wait);
    if (step == Step::entered) co_return Grant(want, LockMode::shared);
    if (step == Step::failed) {
      LATCHLAB_PATH("rma_rw: the server fails a reader that arrives");
      co_return Aborted{AbortReason::server_failed};
    }
    if (verbs_.now() >= options.deadline) {
      LATCHLAB_PATH("rma_rw: a reader gives up between two tries");
      co_return Aborted{AbortReason::deadline};
    }
  }
}

Task<Client::Step> Client::arrive(LockRef lock, bool& wait) {
  const RemoteAddr counters = own_counters(lock);
  const Verb count_in = arrive_verb(counters);
  const Completion before = co_await verbs_.issue(count_in);
  if (!before.ok()) co_return Step::failed;
  const Counters seen = unpack_counters(before.value.lo);
  if (seen.arrive < options_.reader_threshold) {
    LATCHLAB_PATH("rma_rw: a reader enters");
    co_return Step::entered;
  }
  if (seen.writing()) LATCHLAB_PATH("rma_rw: a reader finds writers' mode");
  if (!seen.writing()) LATCHLAB_PATH("rma_rw: a reader finds the threshold reached");
  verbs_.mark(Phase::wait_writers);
  wait = true;
  if (seen.arrive == options_.reader_threshold) {
    const Completion tail = co_await verbs_.read(lock.entry);
    if (!tail.ok()) co_return Step::failed;
    if (tail.value.lo == 0) {
      LATCHLAB_PATH("rma_rw: a reader sets the counters back");
      const std::optional<std::uint64_t> freed = co_await make_room(counters);
      if (!freed.has_value()) co_return Step::failed;
      wait = options_.barrier == Barrier::resettable && *freed == 0;
    } else {
      LATCHLAB_PATH("rma_rw: a reader leaves the turn to a writer");
    }
  }
  if (PLANTED(rma_rw_reader_stays_counted)) co_return Step::again;
  const Verb count_out = back_out_verb(counters);
  const Completion out = co_await verbs_.issue(count_out);
  co_return out.ok() ? Step::again : Step::failed;
}

// Waits until another try is useful. It does not decide whether the reader holds; the next arrival
// does.
Task<WaitEnd> Client::wait_at_barrier(LockRef lock, Time deadline) {
  const bool apart = tree_.has_value() && options_.barrier == Barrier::resettable;
  if (apart) {
    const WaitEnd end = co_await wait_until_resettable(lock, deadline);
    co_return end;
  }
  const std::uint64_t threshold = options_.reader_threshold;
  RemoteWait wait;
  wait.deadline = deadline;
  switch (options_.barrier) {
    case Barrier::resettable:
      wait.add(read_verb(lock.entry, kEntryBytes));
      wait.classify = [threshold](const ProbeValues& values) {
        const Counters seen = unpack_counters(values[0].hi);
        const bool resettable = seen.arrive == threshold && seen.depart > 0 && values[0].lo == 0;
        return seen.arrive < threshold || resettable ? Verdict::done : Verdict::pending;
      };
      break;
    case Barrier::at_most:
    case Barrier::below: {
      const std::uint64_t most = options_.barrier == Barrier::below ? threshold - 1 : threshold;
      wait.add(read_verb(own_counters(lock)));
      wait.classify = [most](const ProbeValues& values) {
        return unpack_counters(values[0].lo).arrive <= most ? Verdict::done : Verdict::pending;
      };
      break;
    }
  }
  const RemoteWaitResult result = co_await verbs_.await_remote(wait);
  co_return result.end;
}

Task<WaitEnd> Client::wait_until_resettable(LockRef lock, Time deadline) {
  const std::uint64_t threshold = options_.reader_threshold;
  RemoteWait wait;
  wait.deadline = deadline;
  wait.add(read_verb(own_counters(lock)));
  wait.classify = [threshold](const ProbeValues& values) {
    const Counters seen = unpack_counters(values[0].lo);
    const bool gone = seen.arrive == threshold && seen.depart > 0;
    return seen.arrive < threshold || gone ? Verdict::done : Verdict::pending;
  };
  for (;;) {
    const RemoteWaitResult result = co_await verbs_.await_remote(wait);
    if (result.end != WaitEnd::satisfied) co_return result.end;
    if (unpack_counters(result.values[0].lo).arrive < threshold) co_return WaitEnd::satisfied;
    const Completion tail = co_await verbs_.read(lock.entry);
    if (!tail.ok()) co_return WaitEnd::failed;
    if (tail.value.lo == 0) co_return WaitEnd::satisfied;
    LATCHLAB_PATH("rma_rw: a reader at the barrier leaves the turn to a writer");
    if (verbs_.now() >= deadline) co_return WaitEnd::deadline;
  }
}

Task<ReleaseResult> Client::release_shared(Grant grant) {
  verbs_.mark(Phase::initial_atomic);
  const Verb count = depart_verb(own_counters(grant.lock));
  co_await verbs_.issue(count);
  co_return ReleaseResult::released;
}

Task<std::optional<std::uint64_t>> Client::make_room(RemoteAddr counters) {
  if (options_.readers_subtract) {
    const std::optional<std::uint64_t> freed = co_await reset(counters);
    co_return freed;
  }
  const Verb claim = claim_departures_verb(counters);
  const Completion before = co_await verbs_.issue(claim);
  if (!before.ok()) co_return std::nullopt;
  const std::uint64_t claimed = unpack_counters(before.value.lo).depart;
  if (claimed == 0) {
    LATCHLAB_PATH("rma_rw: no reader has departed");
    co_return 0;
  }
  const Verb take = take_arrivals_verb(counters, claimed);
  const Completion taken = co_await verbs_.issue(take);
  if (!taken.ok()) co_return std::nullopt;
  co_return claimed;
}

}  // namespace latchlab::rma_rw
