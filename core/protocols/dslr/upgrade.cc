// Upgrades of update locks to exclusive.

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/dslr/client.h"
#include "core/protocols/dslr/kept.h"

// A path of the lock that the client belongs to.
#define PATH(label) LATCHLAB_PATH_OF(Lock::kPrefix, label)

namespace latchlab::dslr {

// Section 5.2. Whatever the outcome, the client still holds the update lock, until its lease ends.
template <class Lock>
Task<AcquireResult> Client<Lock>::upgrade(Grant grant, AcquireOptions options) {
  if constexpr (!Lock::kPlus) {
    if (grant.mode == LockMode::exclusive) co_return grant;  // with four counters
    if (grant.mode == LockMode::shared) co_return Aborted{AbortReason::unsupported};
    const Kept kept = kept_of(grant);
    if (verbs_.now() >= grant.valid_until) {
      PATH("an upgrade comes after the lease");
      co_return Aborted{AbortReason::deadline};
    }
    if (kept.alone) {
      PATH("an upgrade has no reader to wait for");
      grant.mode = LockMode::exclusive;
      co_return grant;
    }
    PATH("an upgrade waits for readers");
    verbs_.mark(Phase::wait_readers);
    const Time deadline = std::min(options.deadline, grant.valid_until);
    co_return co_await wait_for_readers(grant, kept.ticket, deadline);
  } else {
    co_return Aborted{AbortReason::unsupported};
  }
}

template <class Lock>
Task<AcquireResult> Client<Lock>::wait_for_readers(Grant grant, Ticket ticket, Time deadline) {
  const Options* const rules = &options_;
  Ticket as_writer = ticket;  // a writer's pause counts readers, whatever `reader_pacing`
  as_writer.mode = LockMode::exclusive;
  RemoteWait wait;
  wait.add(options_.word.read(grant.lock.entry));
  wait.classify = [rules, ticket](const ProbeValues& values) {
    return judge_upgrade(*rules, ticket, rules->word.unpack(values[0]));
  };
  wait.pacing = [rules, as_writer](const ProbeValues& values, std::uint64_t) {
    return pause(*rules, as_writer, rules->word.unpack(values[0]));
  };
  wait.deadline = deadline;
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end == WaitEnd::satisfied && verbs_.now() < deadline) {
    PATH("the last reader leaves before an upgrade");
    grant.mode = LockMode::exclusive;
    co_return grant;
  }
  if (end.end == WaitEnd::abandoned) {
    PATH("the lock has been repaired under an upgrade");
    co_await failures_.pause(verbs_, grant.lock.id, deadline);
    co_return Aborted{AbortReason::recovered};
  }
  if (end.end == WaitEnd::deadline || end.end == WaitEnd::satisfied) {
    PATH("an upgrade is given up");
    co_return Aborted{AbortReason::deadline};
  }
  PATH("the server fails an upgrade");
  co_return Aborted{AbortReason::server_failed};
}

template Task<AcquireResult> Client<Dslr>::upgrade(Grant, AcquireOptions);
template Task<AcquireResult> Client<DslrPlus>::upgrade(Grant, AcquireOptions);

}  // namespace latchlab::dslr

#undef PATH
