#include "backends/explorer/actor.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "backends/explorer/state.h"

namespace latchlab::explorer {

namespace {

// Random streams of node and server parts are disjoint from those of clients.
std::uint64_t stream_owner(ActorKind kind, NodeId node, ClientId client) {
  if (kind == ActorKind::client) return client.value;
  return static_cast<std::uint64_t>(kind) << 32 | node.value;
}

// More than an actor of a small model has under way at once: a wait has up to 16 probes.
constexpr std::size_t kUnderWay = 24;

struct ProbeAwait {
  ProbeSlot* slot;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const { slot->waiter = waiter; }
  void await_resume() const noexcept {}
};

}  // namespace

Actor::Actor(State& state, std::uint32_t index, ActorKind actor_kind, NodeId home,
             ClientId client_id)
    : Verbs(actor_kind, home, client_id,
            Rng(state.seed, stream_owner(actor_kind, home, client_id), StreamPurpose::protocol)),
      state_(state),
      index_(index) {
  // Capacity is reserved up front, so that it never enters the state.
  ops.reserve(kUnderWay);
  waits.reserve(kUnderWay);
  probes.reserve(kUnderWay);
  roots.reserve(kUnderWay);
}

void Actor::forget_history() {
  tally() = {};
  const Rng fresh(state_.seed, stream_owner(kind(), node(), client()), StreamPurpose::protocol);
  static_assert(std::has_unique_object_representations_v<Rng>);
  if (std::memcmp(&rng(), &fresh, sizeof fresh) == 0) return;
  state_.search()->facts.drew();
  rng() = fresh;
}

EndpointAddr Actor::open(std::uint32_t recv_depth, Transport transport) {
  NodeState& home = *state_.find_node(node());
  Endpoint& endpoint = home.endpoints.emplace_back();
  endpoint.owner = this;
  endpoint.addr = {node(), static_cast<std::uint32_t>(home.endpoints.size())};
  endpoint.recvs_free = recv_depth;
  endpoint.transport = transport;
  endpoint.queue.reserve(std::min<std::size_t>(recv_depth, kUnderWay));
  return endpoint.addr;
}

void Actor::reply(const PendingCall& pending, const Reply& reply) {
  const auto found = state_.calls.find(pending.ticket);
  LATCHLAB_CHECK(found != state_.calls.end(), "a call is answered once, and only while it waits");
  OpSlot* op = found->second;
  state_.calls.erase(found);
  if (op == nullptr) return;
  state_.touch(*op->actor);
  op->call.reply = reply;
  op->effected = true;
  state_.note(StepKind::call_arrive, *this, pending.ticket, reply.words[0], reply.words[1]);
}

// In an untimed model a probe that sees nothing new need not happen, so probes are posted only when
// they may end the wait. In a timed search each probe is posted at its date, as on hardware.
Task<RemoteWaitResult> Actor::await_remote(const RemoteWait& wait) {
  if (state_.timed()) return Verbs::await_remote(wait);
  return look_when_worth_it(wait);
}

Task<RemoteWaitResult> Actor::look_when_worth_it(const RemoteWait& wait) {
  LATCHLAB_CHECK(!wait.probes.empty() && wait.classify, "a remote wait has a probe and a verdict");
  ProbeSlot& slot = probe_slots.take();
  slot.wait = wait;
  slot.actor = this;
  slot.posted_at = state_.clock;
  slot.result.last_change = state_.clock;
  slot.forget_values();
  probes.push_back(&slot);
  co_await ProbeAwait{&slot};
  const RemoteWaitResult result = slot.result;
  probe_slots.give_back(slot);
  co_return result;
}

Time Actor::now() const {
  return state_.local_now(node());
}

Membership Actor::membership() const {
  if (state_.search() != nullptr) state_.search()->facts.membership_read();
  return {state_.membership_version, &state_.alive};
}

Operation& Actor::take_operation() {
  return op_slots.take();
}

// A wrapper of this object prepares operations with itself as owner; from here on they are ours.
void Actor::start(Operation& first) {
  for (Operation* each = &first; each != nullptr; each = each->next) {
    auto& op = static_cast<OpSlot&>(*each);
    op.actor = this;
    op.life = life;
    op.posted_at = state_.clock;
    if (op.reaches_others() && state_.search() == nullptr) ++state_.census.posted;
    if (op.detached) ++detached;
    const bool needs_qp = op.kind == OpKind::verb || op.kind == OpKind::send;
    if (evicted && needs_qp) {
      op.effected = true;
      op.completion.status = VerbStatus::flushed;
    }
    ops.push_back(&op);
  }
}

void Actor::recycle(Operation& op) {
  op_slots.give_back(static_cast<OpSlot&>(op));
}

WaitOperation& Actor::take_wait() {
  return wait_slots.take();
}

void Actor::start_wait(WaitOperation& op) {
  auto& wait = static_cast<WaitSlot&>(op);
  wait.life = life;
  wait.posted_at = state_.clock;
  if (state_.search() != nullptr && wait.set.membership_after != ~0ULL)
    state_.search()->facts.membership_read();
  waits.push_back(&wait);
}

void Actor::recycle_wait(WaitOperation& op) {
  wait_slots.give_back(static_cast<WaitSlot&>(op));
}

}  // namespace latchlab::explorer
