#include "tools/export/tracing_verbs.h"

namespace latchlab::exporting {

EndpointAddr TracingVerbs::open(std::uint32_t recv_depth, Transport transport) {
  const EndpointAddr made = ForwardingVerbs::open(recv_depth, transport);
  recorder_.opened(actor_, made);
  return made;
}

Task<RemoteWaitResult> TracingVerbs::await_remote(const RemoteWait& wait) {
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): the base version issues each probe through us.
  return Verbs::await_remote(wait);
}

void TracingVerbs::start(Operation& first) {
  for (const Operation* op = &first; op != nullptr; op = op->next)
    recorder_.started(clock_.true_now(), actor_, *op);
  ForwardingVerbs::start(first);
}

void TracingVerbs::recycle(Operation& op) {
  recorder_.ended(clock_.true_now(), actor_, op);
  ForwardingVerbs::recycle(op);
}

void TracingVerbs::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  recorder_.sleeps(clock_.true_now(), actor_);
  ForwardingVerbs::start_sleep(sleep, waiter);
}

void TracingVerbs::start_wait(WaitOperation& op) {
  recorder_.wait_started(clock_.true_now(), actor_, op);
  ForwardingVerbs::start_wait(op);
}

void TracingVerbs::recycle_wait(WaitOperation& op) {
  recorder_.wait_ended(clock_.true_now(), actor_, op);
  ForwardingVerbs::recycle_wait(op);
}

}  // namespace latchlab::exporting
