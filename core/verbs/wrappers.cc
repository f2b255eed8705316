#include "core/verbs/wrappers.h"

#include <utility>

namespace latchlab {

EndpointAddr ForwardingVerbs::open(std::uint32_t recv_depth, Transport transport) {
  return inner_.open(recv_depth, transport);
}
void ForwardingVerbs::reply(const PendingCall& pending, const Reply& reply) {
  inner_.reply(pending, reply);
}
Task<RemoteWaitResult> ForwardingVerbs::await_remote(const RemoteWait& wait) {
  return inner_.await_remote(wait);
}
Time ForwardingVerbs::now() const {
  return inner_.now();
}
Membership ForwardingVerbs::membership() const {
  return inner_.membership();
}
ServerLife ForwardingVerbs::life_of(NodeId server) const {
  return inner_.life_of(server);
}
Operation& ForwardingVerbs::take_operation() {
  return inner_.take_operation();
}
void ForwardingVerbs::start(Operation& first) {
  for (Operation* op = &first; op != nullptr; op = op->next) op->owner = &inner_;
  inner_.start(first);
}
void ForwardingVerbs::recycle(Operation& op) {
  inner_.recycle(op);
}
void ForwardingVerbs::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  inner_.start_sleep(sleep, waiter);
}
WaitOperation& ForwardingVerbs::take_wait() {
  return inner_.take_wait();
}
void ForwardingVerbs::start_wait(WaitOperation& op) {
  op.owner = &inner_;
  inner_.start_wait(op);
}
void ForwardingVerbs::recycle_wait(WaitOperation& op) {
  inner_.recycle_wait(op);
}

void FaultInjectingVerbs::start(Operation& first) {
  const bool may_fail =
      first.kind == OpKind::verb || first.kind == OpKind::send || first.kind == OpKind::call;
  Operation* before = nullptr;
  for (Operation* op = &first; may_fail && op != nullptr; op = op->next) {
    const std::optional<VerbStatus> fault = decide_(*op);
    if (fault) return start_failing(first, before, *op, *fault);
    before = op;
  }
  ForwardingVerbs::start(first);
}

// The backend never sees the failing verb; if it is the first, it becomes an empty sleep there, so
// that its waiter is resumed in the usual way.
void FaultInjectingVerbs::start_failing(Operation& first, Operation* before, Operation& failing,
                                        VerbStatus status) {
  if (first.detached && first.kind == OpKind::send) {
    failing.target.number = 0;  // no endpoint has it
    return ForwardingVerbs::start(first);
  }
  if (first.detached) {
    first.verb.addr.offset |= 1;  // misaligned: every backend refuses it
    return ForwardingVerbs::start(first);
  }
  failing.completion = {status, {}};
  for (Operation* op = failing.next; op != nullptr; op = op->next)
    op->completion = {VerbStatus::flushed, {}};
  Operation& last = before != nullptr ? *before : failing;
  Operation* behind = std::exchange(last.next, nullptr);
  first.remaining = 1;
  for (const Operation* op = &first; op != &last; op = op->next) ++first.remaining;
  if (before == nullptr) {
    first.kind = OpKind::sleep;
    first.length = {};
  }
  ForwardingVerbs::start(first);
  last.next = behind;
}

}  // namespace latchlab
