#include <algorithm>

#include "backends/explorer/steps.h"

namespace latchlab::explorer {

namespace {

constexpr std::uint32_t kMaxPieces = 8;

std::uint32_t words_of(const Verb& verb) {
  return (verb.bytes + 7) / 8;
}
std::uint32_t pieces_of(const Verb& verb) {
  return std::min(words_of(verb), kMaxPieces);
}
std::uint64_t merged(std::uint64_t old, std::uint64_t fresh, std::uint64_t mask) {
  return (old & ~mask) | (fresh & mask);
}

bool inside(State& state, RemoteAddr addr, std::uint64_t bytes, std::uint64_t align) {
  const NodeState* node = state.find_node(addr.node);
  return node != nullptr && addr.offset % align == 0 && node->memory.contains(addr.offset, bytes);
}

VerbStatus refusal(State& state, const Actor& actor, const Verb& verb) {
  const NodeState* node = state.find_node(verb.addr.node);
  if (node != nullptr && node->dead) return VerbStatus::peer_failed;
  const std::uint64_t align = is_atomic(verb.kind) && verb.bytes == 16 ? 16 : 8;
  if (!width_allowed(verb) || !inside(state, verb.addr, verb.bytes, align))
    return VerbStatus::access_error;
  if (uses_local(verb) &&
      (verb.local.node != actor.node() || !inside(state, verb.local, verb.bytes, 8)))
    return VerbStatus::access_error;
  return VerbStatus::ok;
}

bool words_free(const NodeState& node, const Verb& verb) {
  for (const std::uint64_t held : node.held_words)
    if (held >= verb.addr.offset && held < verb.addr.offset + verb.bytes) return false;
  return true;
}

void add_effects(State& state, OpSlot& op, StepList& steps) {
  Actor& actor = *op.actor;
  if (refusal(state, actor, op.verb) != VerbStatus::ok) {
    steps.now.push_back({StepKind::verb_fail, &actor, 0, &op});
  } else if (!is_atomic(op.verb.kind)) {
    for (std::uint32_t piece = 0; piece < pieces_of(op.verb); ++piece)
      if ((op.pieces_done >> piece & 1) == 0)
        steps.now.push_back({StepKind::verb_piece, &actor, piece, &op});
  } else if (op.holding) {
    steps.now.push_back({StepKind::atomic_write, &actor, 0, &op});
  } else if (words_free(*state.find_node(op.verb.addr.node), op.verb)) {
    steps.now.push_back({StepKind::atomic_read, &actor, 0, &op});
  }
}

// State of a QP while its verbs are visited in posting order.
struct QpWalk {
  NodeId node;
  bool oldest = true;       // no verb comes before this one
  bool blocked = false;     // later verbs may not start
  bool unreturned = false;  // an earlier READ or atomic has not returned
};

QpWalk& walk_of(std::vector<QpWalk>& walks, NodeId node) {
  for (QpWalk& walk : walks)
    if (walk.node == node) return walk;
  return walks.emplace_back(QpWalk{node});
}

void effect_done(State& state, OpSlot& op) {
  op.effected = true;
  if (op.completion.ok()) {
    state.check_owned(op.verb.addr, op.verb.bytes);
    if (uses_local(op.verb)) state.check_owned(op.verb.local, op.verb.bytes);
    state.count_effect(op);
  }
  const Words& value = op.verb.kind == VerbKind::write ? op.verb.value : op.completion.value;
  state.note(StepKind::complete, *op.actor,
             static_cast<std::uint64_t>(op.verb.kind) << 32 | op.verb.bytes, op.verb.addr.packed(),
             hash_of(value.lo, value.hi, static_cast<std::uint64_t>(op.completion.status)));
  if (op.life != op.actor->life) state.complete(op);
}

// Allocates in the reader's arena.
void keep_word(OpSlot& op, std::uint32_t index, std::uint64_t word) {
  const ArenaScope scope(op.actor->arena);
  if (op.read.empty()) op.read.resize(words_of(op.verb));
  op.read[index] = word;
  op.words = op.read.data();
}

void move_words(State& state, OpSlot& op, std::uint32_t piece) {
  const Verb& verb = op.verb;
  const std::uint32_t words = words_of(verb);
  const std::uint32_t pieces = pieces_of(verb);
  for (std::uint32_t i = piece * words / pieces; i < (piece + 1) * words / pieces; ++i) {
    std::uint64_t& remote = state.word(verb.addr + 8 * i);
    const std::uint64_t mask = mask_of(verb, i);
    if (verb.kind == VerbKind::write && state.search() != nullptr)
      state.search()->facts.written(verb.addr + 8 * i);
    if (verb.kind == VerbKind::read) {
      const std::uint64_t seen = remote & mask;
      if (i == 0) op.completion.value.lo = seen;
      if (i == 1) op.completion.value.hi = seen;
      if (reads_words(verb)) keep_word(op, i, seen);
      if (!uses_local(verb)) continue;
      std::uint64_t& local = state.word(verb.local + 8 * i);
      local = merged(local, seen, mask);
    } else if (uses_local(verb)) {
      remote = merged(remote, state.word(verb.local + 8 * i), mask);
    } else {
      remote = merged(remote, i == 0 ? verb.value.lo : verb.value.hi, mask);
    }
  }
  op.pieces_done |= 1U << piece;
  if (op.pieces_done == (1U << pieces) - 1) effect_done(state, op);
}

void write_back(State& state, OpSlot& op) {
  const Words after = after_atomic(op.verb, op.completion.value);
  state.word(op.verb.addr) = after.lo;
  if (op.verb.bytes == 16) state.word(op.verb.addr + 8) = after.hi;
  release_words(state, op);
  effect_done(state, op);
}

// In a search: whether only RNIC atomics change these words, so that the two halves of an atomic
// can be one step.
bool halves_look_like_one(const State& state, const Verb& verb) {
  SearchSupport* search = state.search();
  if (search == nullptr) return false;
  bool mixed = !search->reduce;
  for (std::uint32_t i = 0; i < verb.bytes; i += 8) {
    search->facts.atomic_on(verb.addr + i);
    mixed = mixed || search->facts.mixed(verb.addr + i);
  }
  return !mixed;
}

void read_for_atomic(State& state, OpSlot& op) {
  Words& before = op.completion.value;
  before.lo = state.word(op.verb.addr);
  if (op.verb.bytes == 16) before.hi = state.word(op.verb.addr + 8);
  if (!matched(op.verb, before)) {
    effect_done(state, op);
    return;
  }
  if (state.options.atomic_with_writes || halves_look_like_one(state, op.verb)) {
    write_back(state, op);
    return;
  }
  std::vector<std::uint64_t>& held = state.find_node(op.verb.addr.node)->held_words;
  held.push_back(op.verb.addr.offset);
  if (op.verb.bytes == 16) held.push_back(op.verb.addr.offset + 8);
  op.holding = true;
}

// An error puts the QP into the error state: all verbs behind it are flushed.
void refuse(State& state, OpSlot& op) {
  Actor& actor = *op.actor;
  VerbStatus status = refusal(state, actor, op.verb);
  if (status == VerbStatus::access_error) state.foreign_access = true;
  if (status == VerbStatus::ok) status = VerbStatus::peer_failed;  // the path was down for too long
  for (OpSlot* behind : posted_behind(op)) fail_verb(state, *behind, VerbStatus::flushed);
  fail_verb(state, op, status);
}

}  // namespace

std::uint64_t mask_of(const Verb& verb, std::uint32_t index) {
  const std::uint32_t left = verb.bytes - 8 * index;
  return left >= 8 ? ~0ULL : (1ULL << (8 * left)) - 1;
}

void add_verb_steps(State& state, Actor& actor, StepList& steps) {
  std::vector<QpWalk> walks;
  for (OpSlot* op : actor.ops) {
    if (op->kind != OpKind::verb) continue;
    QpWalk& qp = walk_of(walks, op->verb.addr.node);
    const bool write = op->verb.kind == VerbKind::write;
    if (op->takes_long && op->completion.ok() && may_fail_by_path(*op) &&
        refusal(state, actor, op->verb) == VerbStatus::ok)
      steps.now.push_back(failing_by_path(*op));
    if (op->effected) {
      if (qp.oldest) steps.now.push_back({StepKind::complete, &actor, 0, op});
    } else if (qp.blocked || (op->verb.fenced && qp.unreturned)) {
      qp.blocked = true;
    } else {
      add_effects(state, *op, steps);
      qp.blocked = write;
    }
    qp.unreturned = qp.unreturned || !write;
    qp.oldest = false;
  }
}

void make_verb_step(State& state, const Step& step) {
  OpSlot& op = *step.op;
  switch (step.kind) {
    case StepKind::verb_piece:
      return move_words(state, op, step.part);
    case StepKind::atomic_read:
      return read_for_atomic(state, op);
    case StepKind::atomic_write:
      return write_back(state, op);
    default:
      return refuse(state, op);
  }
}

void fail_verb(State& state, OpSlot& op, VerbStatus status) {
  release_words(state, op);
  op.completion = {status, {}};
  effect_done(state, op);
}

void release_words(State& state, OpSlot& op) {
  if (!op.holding) return;
  op.holding = false;
  std::vector<std::uint64_t>& held = state.find_node(op.verb.addr.node)->held_words;
  remove_from(held, op.verb.addr.offset);
  if (op.verb.bytes == 16) remove_from(held, op.verb.addr.offset + 8);
}

}  // namespace latchlab::explorer
