#include "backends/simgrid/actors.h"

#include "core/base/prefetch.h"

namespace latchlab::sim {

SimActor& Actors::add(std::unique_ptr<SimActor> actor) {
  LATCHLAB_CHECK(next_index() <= Event::kMostActor, "too many actors for the order of events");
  SimActor& added = *all_.emplace_back(std::move(actor));
  if (added.kind() == ActorKind::client) clients_[added.client().value] = &added;
  return added;
}

SimActor& Actors::client(ClientId id) const {
  LATCHLAB_CHECK(id.value < clients_.size() && clients_[id.value] != nullptr,
                 "a client that does not exist");
  return *clients_[id.value];
}

void Actors::spawn(SimActor& actor, Task<void> root, Time start) {
  LATCHLAB_CHECK(!actor.root.valid(), "an actor runs one root coroutine");
  actor.root = std::move(root);
  if (actor.kind() == ActorKind::client) {
    ++live_clients_;
    any_client_ = true;
  }
  timeline_.push(start, actor.index, Gate::begin, &actor);
}

void Actors::enter(const SimActor& actor) {
  context_.client = actor.client().value;
  context_.time_ps = timeline_.now().ps;
}

void Actors::count_end(const SimActor& actor) {
  if (actor.kind() == ActorKind::client) --live_clients_;
}

void Actors::begin(SimActor& actor) {
  if (!actor.alive) return;
  enter(actor);
  actor.root.start();
  if (actor.root.done()) count_end(actor);
}

void Actors::resume(SimActor& actor, std::coroutine_handle<> handle) {
  enter(actor);
  const bool was_done = actor.root.done();
  handle.resume();
  if (!was_done && actor.root.done()) count_end(actor);
}

void Actors::die(SimActor& actor) {
  actor.alive = false;
  ++actor.life;
  if (actor.root.valid() && !actor.root.done()) count_end(actor);
}

void Actors::prepare(const SimActor& actor, std::coroutine_handle<> waiter) const {
  prefetch(actor);
  prefetch_bytes(waiter.address(), kFrameBytes);
  if (actor.kind() == ActorKind::client && announce_) announce_(actor.client());
}

}  // namespace latchlab::sim
