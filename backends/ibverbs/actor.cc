#include "backends/ibverbs/actor.h"

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"

namespace latchlab::ib {

void IbActor::check_thread() const {
  LATCHLAB_CHECK(
      turn == nullptr || host_.worker().running() == this,
      "with several threads, each call to a server part uses the verbs that it is given");
}

EndpointAddr IbActor::open(std::uint32_t recv_depth, Transport transport) {
  check_thread();
  return host_.messages().open(*this, recv_depth, transport);
}
void IbActor::reply(const PendingCall& pending, const Reply& reply) {
  check_thread();
  host_.messages().reply(pending, reply);
}
Time IbActor::now() const {
  return host_.worker().now();
}
Membership IbActor::membership() const {
  return host_.local().membership();
}
Operation& IbActor::take_operation() {
  check_thread();
  return host_.context().operations.take();
}
void IbActor::start(Operation& first) {
  host_.start(*this, static_cast<IbOperation&>(first));
}
void IbActor::recycle(Operation& op) {
  host_.context().operations.give(static_cast<IbOperation&>(op));
}
void IbActor::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  check_thread();
  const Time until = saturating_add(now(), sleep.length);
  if (until != kNever) host_.worker().sleep(*this, until, waiter);
}
WaitOperation& IbActor::take_wait() {
  check_thread();
  return host_.local().take_wait();
}
void IbActor::start_wait(WaitOperation& op) {
  host_.local().start_wait(*this, static_cast<IbWait&>(op));
}
void IbActor::recycle_wait(WaitOperation& op) {
  host_.local().recycle_wait(static_cast<IbWait&>(op));
}

}  // namespace latchlab::ib
