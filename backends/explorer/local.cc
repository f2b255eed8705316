#include "backends/explorer/steps.h"
#include "core/verbs/cpu_access.h"

namespace latchlab::explorer {

namespace {

constexpr Duration kSynchronisationError = nanoseconds(100);

void access_memory(State& state, OpSlot& op) {
  state.check_owned(op.verb.addr, sizeof(std::uint64_t));
  std::uint64_t& word = state.word(op.verb.addr);
  const std::uint64_t before = word;
  if (state.search() != nullptr && op.cpu != CpuAccess::load)
    state.search()->facts.written(op.verb.addr);
  word = after_access(op.cpu, op.verb, before);
  op.completion.value.lo = before;
  if (op.cpu != CpuAccess::load) state.count_effect(op);
  state.note(StepKind::local, *op.actor, static_cast<std::uint64_t>(op.cpu), op.verb.addr.packed(),
             hash_of(before, word));
}

void allocate(State& state, OpSlot& op) {
  NodeState* node = state.find_node(op.server);
  if (node == nullptr || node->dead) {
    op.completion.status = VerbStatus::peer_failed;
    return;
  }
  op.verb.addr = {op.server, node->memory.grow(op.allocated_bytes)};
}

// Destroys the client's QPs: operations without an effect so far never have one, and complete as
// flushed.
void evict(State& state, ClientId client) {
  Actor* victim = state.find_client(client);
  if (victim == nullptr) return;
  state.touch(*victim);
  victim->evicted = true;
  const std::vector<OpSlot*> under_way = victim->ops;
  for (OpSlot* op : under_way) {
    if (op->effected) continue;
    const bool dead = op->life != victim->life;
    if (op->kind == OpKind::verb) {
      fail_verb(state, *op, VerbStatus::flushed);
    } else if (op->kind == OpKind::send) {
      op->effected = true;
      op->completion.status = VerbStatus::flushed;
      if (dead) state.drop(*op);
    }
  }
  state.note(StepKind::local, *victim, 1);
}

void synchronise(State& state, OpSlot& op) {
  const std::int64_t off = static_cast<std::int64_t>(state.chooser->choose_among(3)) - 1;
  const Time shown = state.clock + kSynchronisationError * off;
  op.completion.value.lo = static_cast<std::uint64_t>(shown.ps);
  op.length = kSynchronisationError;
}

// Lengths are given on the clock of the actor's node.
Time end_of(const State& state, const OpSlot& op) {
  const NodeId node = op.actor->node();
  return state.true_date(node, saturating_add(state.shown_on(node, op.posted_at), op.length));
}

}  // namespace

void add_local_steps(State& state, Actor& actor, StepList& steps) {
  for (OpSlot* op : actor.ops) {
    const Step step{StepKind::local, &actor, 0, op};
    switch (op->kind) {
      case OpKind::verb:
      case OpKind::send:
      case OpKind::call:
        break;
      case OpKind::flush:
        if (actor.detached == 0) steps.now.push_back(step);
        break;
      case OpKind::sleep:
      case OpKind::compute:
        if (op->length.ps > 0) {
          steps.later.push_back({end_of(state, *op), true, step});
          break;
        }
        [[fallthrough]];
      default:
        steps.now.push_back(step);
    }
  }
  for (std::uint32_t i = 0; i < actor.roots.size(); ++i) {
    if (actor.roots[i].started) continue;
    const Step step{StepKind::start_root, &actor, i};
    if (actor.roots[i].start <= state.clock) {
      steps.now.push_back(step);
    } else {
      steps.later.push_back({actor.roots[i].start, true, step});
    }
  }
}

void make_local_step(State& state, const Step& step) {
  OpSlot& op = *step.op;
  switch (op.kind) {
    case OpKind::cpu:
      access_memory(state, op);
      break;
    case OpKind::on_node: {
      state.touch_parts(op.actor->node());
      const ArenaScope scope(state.own_arena());  // what it allocates belongs to the node
      op.visit();
      break;
    }
    case OpKind::flush:
      op.completion.status = op.actor->detached_error;
      op.actor->detached_error = VerbStatus::ok;
      break;
    case OpKind::allocate:
      allocate(state, op);
      break;
    case OpKind::evict:
      evict(state, op.evicted);
      break;
    case OpKind::sync_now:
      synchronise(state, op);
      break;
    default:
      break;
  }
  state.complete(op);
}

}  // namespace latchlab::explorer
