#include "backends/explorer/state.h"

#include <algorithm>

namespace latchlab::explorer {

namespace {

// The plan's image covers the planned bytes; memory allocated later is zero.
SparseMemory make_memory(const WorldPlan& plan, const NodePlan& node) {
  if (!plan.image) return SparseMemory(node.bytes, nullptr);
  const auto image = plan.image;
  const NodeId id = node.id;
  const std::uint64_t bytes = node.bytes;
  return SparseMemory(
      bytes, [image, id, bytes](std::uint64_t offset, std::span<std::uint64_t> page) {
        if (offset >= bytes) return;
        const std::uint64_t words = std::min<std::uint64_t>(page.size(), (bytes - offset + 7) / 8);
        image(id, offset, page.first(words));
      });
}

}  // namespace

State::State(const WorldPlan& plan, const ExplorerOptions& explorer_options)
    : options(explorer_options), seed(plan.seed) {
  own_chooser = options.replay.empty() ? make_random_chooser(hash_of(options.seed, plan.seed))
                                       : make_replay_chooser(options.replay);
  chooser = own_chooser.get();
  if (options.record) chooser->record();
  alive.assign(plan.clients, true);
  for (const NodePlan& node : plan.nodes) {
    LATCHLAB_CHECK(node.id.value == nodes.size() + 1, "nodes are numbered from 1 in plan order");
    nodes.emplace_back();
    nodes.back().id = node.id;
    nodes.back().memory = make_memory(plan, node);
  }
}

NodeState* State::find_node(NodeId id) {
  return id.value >= 1 && id.value <= nodes.size() ? &nodes[id.value - 1] : nullptr;
}

std::uint64_t& State::word(RemoteAddr addr) {
  NodeState* node = find_node(addr.node);
  LATCHLAB_CHECK(node != nullptr, "memory of a node that does not exist");
  // The first access creates the page, also when steps are only listed: the page is part of the
  // state.
  if (search() == nullptr) return node->memory.word(addr.offset);
  const ArenaScope scope(own_arena());
  return node->memory.word(addr.offset);
}

namespace {

constexpr std::int64_t kMillion = 1'000'000;

// Dates of a search stay far below the range of this: see the bounds of a case.
Time shown(Time date, std::int64_t drift_ppm) {
  return date +
         Duration{date.ps / kMillion * drift_ppm + date.ps % kMillion * drift_ppm / kMillion};
}

}  // namespace

Time State::shown_on(NodeId node, Time date) const {
  return timed() ? shown(date, search()->time.drift(node)) : date;
}

Time State::true_date(NodeId node, Time local) const {
  const std::int64_t drift = timed() ? search()->time.drift(node) : 0;
  if (drift == 0 || local == kNever) return local;
  Time date = local - Duration{local.ps / kMillion * drift};
  while (shown(date, drift) < local)
    date = date + std::max(Duration{1}, (local - shown(date, drift)) / 2);
  while (shown(date - Duration{1}, drift) >= local)
    date = date - std::max(Duration{1}, (shown(date, drift) - local) / 2);
  return date;
}

Actor& State::add_actor(ActorKind kind, NodeId node, ClientId client) {
  LATCHLAB_CHECK(find_node(node) != nullptr, "an actor lives on a planned node");
  LATCHLAB_CHECK(kind != ActorKind::client || client.value < alive.size(),
                 "more clients than planned");
  const auto index = static_cast<std::uint32_t>(actors.size());
  Arena* const arena = search() == nullptr ? nullptr : &search()->arenas[search()->arenas.add()];
  if (arena != nullptr) select_arena(arena);
  actors.push_back(std::make_unique<Actor>(*this, index, kind, node, client));
  actors.back()->arena = arena;
  return *actors.back();
}

Actor* State::find_client(ClientId client) {
  for (const auto& actor : actors)
    if (actor->kind() == ActorKind::client && actor->client() == client) return actor.get();
  return nullptr;
}

void State::count_ended(const OpSlot& op) {
  if (search() != nullptr || op.leftover) return;
  if (op.reaches_others()) ++(op.effected && op.completion.ok() ? census.executed : census.failed);
}

// In a search a growing number would make states differ, so the code that armed `first` keeps the
// order. An operation left from an earlier request is not the first effect of this one.
void State::count_effect(const OpSlot& op) {
  FirstEffect& first = op.actor->first_effect();
  if (search() != nullptr) {
    if (!op.detached && !op.leftover) first.armed = false;
    return;
  }
  ++effects_;
  if (first.armed && !op.leftover) first.happened(op.actor->client(), effects_);
}

void State::drop(OpSlot& op) {
  Actor& actor = *op.actor;
  remove_from(actor.ops, &op);
  count_ended(op);
  if (op.detached) --actor.detached;
  actor.op_slots.give_back(op);
}

void State::complete(OpSlot& op) {
  Actor& actor = *op.actor;
  if (op.life != actor.life || op.detached) {
    const VerbStatus status = op.completion.status;
    if (actor.detached_error == VerbStatus::ok) actor.detached_error = status;
    drop(op);
    return;
  }
  remove_from(actor.ops, &op);
  count_ended(op);
  Operation& first = *op.batch;
  if (--first.remaining == 0) resume(actor, first.waiter);
}

void State::touch(const Actor& actor) const {
  if (search() != nullptr) explorer::touch(arena_of(actor.arena));
}

void State::touch_parts(NodeId node) const {
  if (search() != nullptr && node.value < search()->parts.size())
    explorer::touch(search()->parts[node.value]);
}

void State::resume(Actor& actor, std::coroutine_handle<> waiter) {
  LATCHLAB_CHECK(!running_, "a step resumes one coroutine");
  if (actor.kind() != ActorKind::client) touch_parts(actor.node());
  CheckContext& context = check_context();
  context.client = actor.kind() == ActorKind::client ? actor.client().value : -1;
  context.time_ps = clock.ps;
  const ArenaScope scope(actor.arena);
  running_ = true;
  waiter.resume();
  running_ = false;
  context.client = -1;
  sweep(actor);
  if (search() != nullptr) actor.forget_history();
}

void State::start_root(Actor& actor, std::size_t root) {
  actor.roots[root].started = true;
  resume(actor, actor.roots[root].task.start_then({}));
}

void State::sweep(Actor& actor) {
  const std::size_t ended =
      std::erase_if(actor.roots, [](const Root& root) { return root.task.done(); });
  if (actor.kind() == ActorKind::client) clients_left -= ended;
}

void State::check_owned(RemoteAddr addr, std::uint64_t bytes) {
  if (search() == nullptr || !search()->owned) return;
  foreign_access = foreign_access || !search()->owned(addr, bytes);
}

void State::note_effects() {
  for (const auto& actor : actors)
    for (OpSlot* op : actor->ops) {
      if (!op->effected || op->effected_at != kNever) continue;
      touch(*actor);
      op->effected_at = clock;
    }
}

void State::note_possible(const StepList& steps) {
  for (const auto& actor : actors) {
    for (OpSlot* op : actor->ops) {
      const bool possible = std::any_of(steps.now.begin(), steps.now.end(),
                                        [op](const Step& step) { return step.op == op; });
      if (possible == (op->possible_since != kNever)) continue;
      touch(*actor);
      op->possible_since = possible ? clock : kNever;
    }
  }
}

void State::note(StepKind kind, const Actor& actor, std::uint64_t a, std::uint64_t b,
                 std::uint64_t c) {
  if (search() != nullptr) return;
  fingerprint.add(static_cast<std::uint64_t>(clock.ps),
                  {static_cast<std::uint64_t>(kind), actor.index(), a, b, c});
}

}  // namespace latchlab::explorer
