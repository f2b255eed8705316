#include "backends/ibverbs/actor.h"

#include "backends/ibverbs/station.h"

namespace latchlab::ib {

EndpointAddr IbActor::open(std::uint32_t recv_depth, Transport transport) {
  return station_.open_endpoint(*this, recv_depth, transport);
}
void IbActor::reply(const PendingCall& pending, const Reply& reply) {
  station_.reply(pending, reply);
}
Time IbActor::now() const {
  return station_.worker().now();
}
Membership IbActor::membership() const {
  return station_.membership();
}
Operation& IbActor::take_operation() {
  return station_.take_operation();
}
void IbActor::start(Operation& first) {
  station_.start(*this, static_cast<IbOperation&>(first));
}
void IbActor::recycle(Operation& op) {
  station_.recycle(static_cast<IbOperation&>(op));
}
void IbActor::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  const Time until = saturating_add(now(), sleep.length);
  if (until != kNever) station_.worker().sleep(*this, until, waiter);
}
WaitOperation& IbActor::take_wait() {
  return station_.take_wait();
}
void IbActor::start_wait(WaitOperation& op) {
  station_.start_wait(*this, static_cast<IbWait&>(op));
}
void IbActor::recycle_wait(WaitOperation& op) {
  station_.recycle_wait(static_cast<IbWait&>(op));
}

}  // namespace latchlab::ib
