#include <algorithm>

#include "backends/explorer/steps.h"

namespace latchlab::explorer {

namespace {

void lose(State& state, OpSlot& op) {
  if (op.kind == OpKind::verb) release_words(state, op);
  if (op.kind == OpKind::call && is_pending(op)) state.calls[op.ticket] = nullptr;
  state.drop(op);
}

// A prefix of each ordered stream still takes effect; the chooser chooses its length.
void cut_stream(State& state, const std::vector<OpSlot*>& stream) {
  const std::size_t landing = state.chooser->choose_among(stream.size() + 1);
  for (std::size_t i = landing; i < stream.size(); ++i) lose(state, *stream[i]);
}

void orphan_operations(State& state, Actor& actor) {
  std::vector<OpSlot*> left = actor.ops;
  std::vector<OpSlot*> over;
  const auto is_over = [](const OpSlot* op) {
    return op->effected || !op->reaches_others() || (op->kind == OpKind::call && op->arrived);
  };
  std::copy_if(left.begin(), left.end(), std::back_inserter(over), is_over);
  std::erase_if(left, is_over);
  for (OpSlot* op : over) lose(state, *op);
  while (!left.empty()) {
    std::vector<OpSlot*> stream;
    for (OpSlot* op : left)
      if (same_stream(*op, *left.front())) stream.push_back(op);
    std::erase_if(left, [&](const OpSlot* op) { return same_stream(*op, *stream.front()); });
    cut_stream(state, stream);
  }
}

void kill_actor(State& state, Actor& actor) {
  if (!actor.alive) return;
  state.touch(actor);
  state.touch_parts(actor.node());
  actor.alive = false;
  actor.paused = false;  // its crash can be detected
  ++actor.life;
  if (actor.kind() == ActorKind::client) {
    state.clients_left -= actor.roots.size();
    state.undetected.push_back(actor.client());
  }
  // Frames first: a frame with an unfinished batch gives its own slots back.
  actor.roots.clear();
  for (WaitSlot* wait : actor.waits) actor.wait_slots.give_back(*wait);
  actor.waits.clear();
  for (OpSlot* op : actor.ops) op->probe = nullptr;
  for (ProbeSlot* probe : actor.probes) actor.probe_slots.give_back(*probe);
  actor.probes.clear();
  orphan_operations(state, actor);
  state.note(StepKind::detect_crash, actor);
}

void close_endpoints(State& state, const Actor& actor) {
  for (Endpoint& endpoint : state.find_node(actor.node())->endpoints)
    if (endpoint.owner == &actor) {
      endpoint.touch();
      endpoint.closed = true;
    }
}

void kill_node(State& state, NodeId id) {
  NodeState& node = *state.find_node(id);
  node.dead = true;
  for (const auto& actor : state.actors)
    if (actor->node() == id) kill_actor(state, *actor);
  node.held_words.clear();
}

}  // namespace

void crash_client(State& state, ClientId client, CrashKind kind) {
  Actor* actor = state.find_client(client);
  if (actor == nullptr || !actor->alive) return;
  kill_actor(state, *actor);
  if (kind != CrashKind::client) close_endpoints(state, *actor);
  if (kind == CrashKind::node) kill_node(state, actor->node());
}

void add_detection_steps(State& state, StepList& steps) {
  for (const ClientId client : state.undetected)
    steps.now.push_back({StepKind::detect_crash, state.find_client(client), client.value});
}

void make_detection_step(State& state, const Step& step) {
  state.alive[step.part] = false;
  ++state.membership_version;
  remove_from(state.undetected, ClientId{step.part});
}

}  // namespace latchlab::explorer
