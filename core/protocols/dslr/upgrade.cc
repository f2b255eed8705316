// Upgrades of update locks to exclusive.

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/dslr/client.h"

namespace latchlab::dslr {

// Section 5.2. Whatever the outcome, the client still holds the update lock, until its lease ends.
Task<AcquireResult> Client::upgrade(Grant grant, AcquireOptions options) {
  if (grant.mode == LockMode::exclusive) co_return grant;  // with four counters
  if (grant.mode == LockMode::shared) co_return Aborted{AbortReason::unsupported};
  const StoredTicket stored = ticket_in(grant);
  if (verbs_.now() >= grant.valid_until) {
    LATCHLAB_PATH("dslr: an upgrade comes after the lease");
    co_return Aborted{AbortReason::deadline};
  }
  if (stored.alone) {
    LATCHLAB_PATH("dslr: an upgrade has no reader to wait for");
    grant.mode = LockMode::exclusive;
    co_return grant;
  }
  LATCHLAB_PATH("dslr: an upgrade waits for readers");
  verbs_.mark(Phase::wait_readers);
  const Time deadline = std::min(options.deadline, grant.valid_until);
  co_return co_await wait_for_readers(grant, stored.ticket, deadline);
}

Task<AcquireResult> Client::wait_for_readers(Grant grant, Ticket ticket, Time deadline) {
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
    LATCHLAB_PATH("dslr: the last reader leaves before an upgrade");
    grant.mode = LockMode::exclusive;
    co_return grant;
  }
  if (end.end == WaitEnd::abandoned) {
    LATCHLAB_PATH("dslr: the lock has been repaired under an upgrade");
    co_await failures_.pause(verbs_, grant.lock.id, deadline);
    co_return Aborted{AbortReason::recovered};
  }
  if (end.end == WaitEnd::deadline || end.end == WaitEnd::satisfied) {
    LATCHLAB_PATH("dslr: an upgrade is given up");
    co_return Aborted{AbortReason::deadline};
  }
  LATCHLAB_PATH("dslr: the server fails an upgrade");
  co_return Aborted{AbortReason::server_failed};
}

}  // namespace latchlab::dslr
