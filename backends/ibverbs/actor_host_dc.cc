// QPs of connections, and with the DC transport the initiators that connections lease while verbs
// are posted.

#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"

namespace latchlab::ib {

QpOptions ActorHost::queue_options() const {
  QpOptions options;
  options.depth = Connection::kDepth;
  options.inline_bytes = kByValueBytes;
  options.rd_atomic = 1;  // limits what peers ask of it, and they ask nothing
  options.domain = &frames_->domain();
  options.masked = (directory_.atomics & (NativeAtomics::masked_8 | NativeAtomics::masked_16)) != 0;
  return options;
}

void ActorHost::connect_clients(NodeId to) {
  for (const auto& actor : actors_) {
    if (actor->kind() != ActorKind::client) continue;
    Connection& made = connection(*actor, to);
    if (directory_.dc)
      aim(made);  // if this fails, its verbs will fail too
    else if (made.state == Connection::State::idle)
      ask_for_qp(made);
  }
}

// Whether there is a path to the connection's node.
bool ActorHost::aim(Connection& to) {
  if (to.aim) return true;
  const auto found = node_.paths->aim_at(directory_.of(to.to).dct);
  if (found) to.aim = found.value();
  return found.ok();
}

void ActorHost::take_dci(Connection& to) {
  if (to.in_line) return;
  if (!frames_->reaches(directory_.memory_server_of(to.to)) || !aim(to))
    return fail_waiting(to, VerbStatus::peer_failed);
  const auto leased = dcis_.lease(to.to);
  LATCHLAB_CHECK(leased.ok(), leased.ok() ? "" : leased.error().text());
  to.dci = leased.value();
  if (to.dci == nullptr) {
    to.in_line = true;
    return in_line_.push_back(&to);
  }
  to.posts = 0;
  to.state = Connection::State::ready;
  post_ready(to);
  settle(to);
}

// Called when nothing is outstanding on it.
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

// A connection without outstanding verbs returns its DCI, unless it has more to post and no other
// connection waits for a DCI.
void ActorHost::settle(Connection& to) {
  if (to.dci == nullptr || to.state != Connection::State::ready || !to.posted.empty()) return;
  if (!to.waiting.empty() && in_line_.empty()) return;
  give_back_dci(to);
  pump(to);
}

// Called after an error, when all posted verbs are back.
void ActorHost::recover_dci(Connection& to) {
  const Status ready = to.dci->recover();
  LATCHLAB_CHECK(ready.ok(), ready.ok() ? "" : ready.error().text());
  give_back_dci(to);
}

// Outstanding verbs come back; those that have not been answered are flushed.
void ActorHost::break_off(Connection& to) {
  if (to.dci == nullptr) return to.qp.fail();
  if (to.posted.empty()) return;
  to.dci->fail();
  to.state = Connection::State::broken;
}

}  // namespace latchlab::ib
