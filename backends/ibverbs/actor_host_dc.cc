// What connections are made of. By the DC transport an initiator is lent to each while it has
// something posted.

#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"

namespace latchlab::ib {

QpOptions ActorHost::queue_options() const {
  QpOptions options;
  options.depth = Connection::kDepth;
  options.inline_bytes = kByValueBytes;
  options.rd_atomic = 1;  // what it asks for counts at the other end, and nothing is asked of it
  options.domain = &frames_->domain();
  options.masked = (directory_.atomics & (NativeAtomics::masked_8 | NativeAtomics::masked_16)) != 0;
  return options;
}

void ActorHost::connect_clients(NodeId to) {
  for (const auto& actor : actors_) {
    if (actor->kind() != ActorKind::client) continue;
    Connection& made = connection(*actor, to);
    if (directory_.dc)
      aim(made);  // where it fails, so do its verbs
    else if (made.state == Connection::State::idle)
      ask_for_qp(made);
  }
}

// Whether there is a way to that node.
bool ActorHost::aim(Connection& to) {
  if (to.aim) return true;
  const auto found = node_.paths->aim_at(directory_.of(to.to).dct);
  if (found) to.aim = found.value();
  return found.ok();
}

void ActorHost::take_dci(Connection& to) {
  if (to.in_line) return;
  if (!frames_->reaches(directory_.keeper_of(to.to)) || !aim(to))
    return fail_waiting(to, VerbStatus::peer_failed);
  const auto lent = dcis_.lend(to.to);
  LATCHLAB_CHECK(lent.ok(), lent.ok() ? "" : lent.error().text());
  to.dci = lent.value();
  if (to.dci == nullptr) {
    to.in_line = true;
    return in_line_.push_back(&to);
  }
  to.posts = 0;
  to.state = Connection::State::ready;
  post_ready(to);
  settle(to);
}

// Nothing is outstanding on it.
void ActorHost::give_back_dci(Connection& to) {
  dcis_.give_back(*std::exchange(to.dci, nullptr));
  to.state = Connection::State::idle;
  while (!in_line_.empty() && dcis_.has_free()) {
    Connection& next = *in_line_.front();
    in_line_.pop_front();
    next.in_line = false;
    if (!next.waiting.empty()) take_dci(next);
  }
}

// Whoever has nothing outstanding keeps no DCI, unless it has more to post and nobody waits for
// one.
void ActorHost::settle(Connection& to) {
  if (to.dci == nullptr || to.state != Connection::State::ready || !to.posted.empty()) return;
  if (!to.waiting.empty() && in_line_.empty()) return;
  give_back_dci(to);
  pump(to);
}

// After an error, when all that was posted is back.
void ActorHost::recover_dci(Connection& to) {
  const Status ready = to.dci->recover();
  LATCHLAB_CHECK(ready.ok(), ready.ok() ? "" : ready.error().text());
  give_back_dci(to);
}

// What is outstanding comes back, flushed as far as it has not been answered.
void ActorHost::break_off(Connection& to) {
  if (to.dci == nullptr) return to.qp.fail();
  if (to.posted.empty()) return;
  to.dci->fail();
  to.state = Connection::State::broken;
}

}  // namespace latchlab::ib
