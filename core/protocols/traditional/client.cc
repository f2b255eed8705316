#include <algorithm>

#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/traditional/manager.h"

namespace latchlab::traditional {

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  Grant grant(want, reader_or_writer(want));
  grant.words[0] = ++asked_for_;
  const bool timed = options_.timeout.ps > 0;
  const Time timeout = timed ? verbs_.now() + options_.timeout : kNever;
  const Time until = std::min(options.deadline, timeout);
  verbs_.mark(Phase::initial_atomic);
  Reply reply = co_await ask(served::kAcquire, grant, until);
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
  // Late or not: what the server has given must not be lost.
  if (reply.words[0] == served::kGranted && !(late && PLANTED(traditional_drops_a_late_grant))) {
    failures_.succeeded();
    co_return grant;
  }
  if (options.deadline <= timeout) {
    options_.kind->note(Path::deadline);
    co_return Aborted{AbortReason::deadline};
  }
  options_.kind->note(Path::timeout);
  co_await failures_.pause(verbs_, options.deadline);
  co_return Aborted{AbortReason::recovered};
}

Task<ReleaseResult> Client::release(Grant grant) {
  verbs_.mark(Phase::initial_atomic);
  const Reply reply = co_await ask(served::kRelease, grant);
  if (!reply.ok()) options_.kind->note(Path::server_fails);
  co_return ReleaseResult::released;
}

CallAwait Client::ask(served::RequestType type, const Grant& about, Time deadline) {
  const served::Asker me{verbs_.client(), static_cast<std::uint32_t>(about.words[0])};
  const served::Asked asked(about.lock.entry, me, about.mode);
  return verbs_.call(about.lock.entry.node, served::pack(type, asked), deadline);
}

}  // namespace latchlab::traditional
