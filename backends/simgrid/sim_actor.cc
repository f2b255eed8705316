#include "backends/simgrid/sim_actor.h"

#include "backends/simgrid/parts.h"

namespace latchlab::sim {

SimActor::SimActor(Parts& parts, std::uint32_t number, ActorKind kind, NodeId node, ClientId client,
                   const Rng& rng, const Rng& network_chance, const NicModel& its_nic)
    : Verbs(kind, node, client, rng),
      parts_(parts),
      nic(its_nic),
      index(number),
      chance(network_chance) {}

SimActor::~SimActor() = default;

EndpointAddr SimActor::open(std::uint32_t recv_depth, Transport transport) {
  return parts_.messages.open(*this, recv_depth, transport);
}
void SimActor::reply(const PendingCall& pending, const Reply& answer) {
  parts_.calls.reply(pending, answer);
}
Time SimActor::now() const {
  return parts_.clocks.shown_on(node());
}
Membership SimActor::membership() const {
  return parts_.waits.membership();
}
ServerLife SimActor::life_of(NodeId server) const {
  return parts_.waits.life_of(server);
}
Operation& SimActor::take_operation() {
  return parts_.operations.take();
}
void SimActor::start(Operation& first) {
  parts_.start(*this, static_cast<SimOperation&>(first));
}
void SimActor::recycle(Operation& op) {
  parts_.operations.recycle(static_cast<SimOperation&>(op));
}
void SimActor::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  parts_.waits.sleep(*this, sleep.length, waiter);
}
WaitOperation& SimActor::take_wait() {
  return parts_.waits.take();
}
void SimActor::start_wait(WaitOperation& op) {
  parts_.waits.start(*this, static_cast<SimWait&>(op));
}
void SimActor::recycle_wait(WaitOperation& op) {
  parts_.waits.recycle(static_cast<SimWait&>(op));
}

}  // namespace latchlab::sim
