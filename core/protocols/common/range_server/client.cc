#include "core/protocols/common/planted.h"
#include "core/protocols/common/range_server/manager.h"

namespace latchlab::range_server {

CallAwait Client::ask(served::RequestType type, const Grant& about, Time deadline) {
  const Asker me{verbs_.client(), static_cast<std::uint32_t>(about.words[0])};
  const Asked asked{about.lock.entry, me, span_of(about.extent)};
  return verbs_.call(about.lock.entry.node, pack(type, asked), deadline);
}

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  Grant grant(want);
  if (!options_.kind->whole) grant.extent = want.extent;
  grant.words[0] = ++asked_for_;
  verbs_.mark(Phase::initial_atomic);
  Reply reply = co_await ask(served::kAcquire, grant, options.deadline);
  const bool late = reply.status == VerbStatus::timed_out;
  if (late || reply.words[1] != 0) verbs_.mark_past(Phase::wait_pred);
  if (late) {
    verbs_.mark(Phase::retry);
    reply = co_await ask(served::kWithdraw, grant);
  }
  if (!reply.ok()) {
    options_.kind->note(Path::server_fails);
    co_return Aborted{AbortReason::server_failed};
  }
  // Late or not, a grant that the server has given must not be lost.
  if (reply.words[0] == served::kGranted && !(late && PLANTED(common_drops_a_late_range)))
    co_return grant;
  options_.kind->note(Path::deadline);
  co_return Aborted{AbortReason::deadline};
}

// A failure is ignored: a server that has failed has lost the lock.
Task<ReleaseResult> Client::release(Grant grant) {
  verbs_.mark(Phase::initial_atomic);
  const Reply reply = co_await ask(served::kRelease, grant);
  if (!reply.ok()) options_.kind->note(Path::server_fails);
  co_return ReleaseResult::released;
}

}  // namespace latchlab::range_server
