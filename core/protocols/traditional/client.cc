#include <algorithm>

#include "core/protocols/common/modes.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/traditional/manager.h"

namespace latchlab::traditional {

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  const Grant grant = number(Grant(want, reader_or_writer(want)));
  const bool timed = options_.timeout.ps > 0;
  const Time timeout = timed ? verbs().now() + options_.timeout : kNever;
  const Time until = std::min(options.deadline, timeout);
  verbs().mark(Phase::initial_atomic);
  Reply reply = co_await ask(served::kAcquire, grant, until);
  const bool late = reply.status == VerbStatus::timed_out;
  if (late || reply.words[1] != 0) verbs().mark_past(Phase::wait_pred);
  if (late) {
    verbs().mark(Phase::retry);
    reply = co_await ask(served::kWithdraw, grant);
  }
  if (!reply.ok()) {
    options_.kind->note(Path::server_fails);
    co_return Aborted{AbortReason::server_failed};
  }
  // Late or not, a grant that the server has given must not be lost.
  if (reply.words[0] == served::kGranted && !(late && PLANTED(traditional_drops_a_late_grant))) {
    failures_.succeeded(want.lock.id);
    co_return grant;
  }
  if (options.deadline <= timeout) {
    options_.kind->note(Path::deadline);
    co_return Aborted{AbortReason::deadline};
  }
  options_.kind->note(Path::timeout);
  co_await failures_.pause(verbs(), want.lock.id, options.deadline);
  co_return Aborted{AbortReason::recovered};
}

}  // namespace latchlab::traditional
