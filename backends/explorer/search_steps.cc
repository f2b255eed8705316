// The interface of the explorer for searches: one step at a time, and steps that need no order.

#include <algorithm>

#include "backends/explorer/crash.h"
#include "backends/explorer/explorer_backend.h"
#include "backends/explorer/mail.h"
#include "backends/explorer/state.h"
#include "backends/explorer/steps.h"

namespace latchlab {

using explorer::Actor;
using explorer::ArenaScope;
using explorer::OpSlot;
using explorer::State;
using explorer::Step;
using explorer::StepKind;
using explorer::StepList;

namespace {

bool is_retried(State& state, const OpSlot& op) {
  if (op.effected || op.leftover) return false;
  if (op.kind == OpKind::send) return !explorer::is_to_datagrams(state, op);
  const bool call = op.kind == OpKind::call && !op.arrived;
  if (!call && op.kind != OpKind::verb) return false;
  const explorer::NodeState* node = state.find_node(call ? op.server : op.verb.addr.node);
  return node != nullptr && node->dead;
}

// Whether the actor is one coroutine that waits for one thing: then its resumption has a fixed
// place in the order. This never holds for a server part: a call may come in first, whose handler
// shares its state.
bool waits_for_one_thing(const Actor& actor) {
  if (actor.kind() == ActorKind::server) return false;
  if (actor.roots.size() != 1 || !actor.roots.front().started) return false;
  const OpSlot* seen = nullptr;
  std::size_t things = actor.waits.size() + actor.probes.size();
  for (const OpSlot* op : actor.ops) {
    if (op->detached || op->life != actor.life || op->probe != nullptr) continue;
    if (seen == nullptr || op->batch != seen->batch) ++things;
    seen = op;
  }
  return things == 1;
}

// Later messages do not change which one it takes.
bool waits_for_messages_alone(const Step& step) {
  const WaitSet& set = step.wait->set;
  return set.message_count == 1 && set.word_count == 0 && set.deadline == kNever &&
         set.membership_after == ~0ULL;
}

// Whether the step touches its own actor only, and at most makes steps of other actors possible.
// Sleeps are excluded: their ends are the ends of critical sections.
bool commutes(const State& state, const Step& step) {
  const Actor& actor = *step.actor;
  switch (step.kind) {
    case StepKind::complete:  // in a timed search it takes time
      return !state.timed() && (step.op->detached || waits_for_one_thing(actor));
    case StepKind::wake_message:
      return waits_for_messages_alone(step) && waits_for_one_thing(actor);
    case StepKind::start_root:
      return actor.roots.size() == 1 && actor.ops.empty();
    case StepKind::detect_crash:
      return !state.search()->facts.reads_membership();
    default:
      return false;
  }
}

// Whether no undetected crash can interfere: a coroutine may ask for membership while others are in
// progress, and then nothing commutes with the detection of a crash.
bool everything_in_the_open(const State& state) {
  return state.undetected.empty() || !state.search()->facts.reads_membership();
}

}  // namespace

const StepList& ExplorerBackend::possible() {
  list_steps();
  return *steps_;
}

const Step* ExplorerBackend::forced_step() const {
  if (!state_->search()->reduce || !everything_in_the_open(*state_)) return nullptr;
  for (const Step& step : steps_->now)
    if (commutes(*state_, step)) return &step;
  return nullptr;
}

void ExplorerBackend::make(const Step& step, Chooser& inner) {
  const Step chosen = step;
  const ArenaScope scope(state_->own_arena());
  state_->chooser = &inner;
  explorer::perform(*state_, chosen);
  chosen.actor->forget_history();
  state_->chooser = state_->own_chooser.get();
}

void ExplorerBackend::crash(ClientId client, CrashKind kind, Chooser& inner) {
  const ArenaScope scope(state_->own_arena());
  state_->chooser = &inner;
  explorer::crash_client(*state_, client, kind);
  state_->chooser = state_->own_chooser.get();
}

void ExplorerBackend::pause_cpu(ClientId client, bool paused, Time until) {
  Actor& actor = *state_->find_client(client);
  actor.paused = paused;
  actor.paused_until = until;
}

Time ExplorerBackend::end_of_pause(ClientId client) const {
  return state_->find_client(client)->paused_until;
}

bool ExplorerBackend::ends_retries(const Step& step) const {
  return step.op != nullptr && explorer::by_nic(step.kind) && is_retried(*state_, *step.op);
}

std::uint32_t ExplorerBackend::retried_briefly() const {
  std::uint32_t count = 0;
  for (const auto& actor : state_->actors)
    for (const OpSlot* op : actor->ops)
      if (!op->takes_long && is_retried(*state_, *op)) ++count;
  return count;
}

void ExplorerBackend::keep_retrying() {
  for (const auto& actor : state_->actors)
    for (OpSlot* op : actor->ops)
      if (is_retried(*state_, *op)) op->takes_long = true;
}

void ExplorerBackend::move_clock(Time date) {
  state_->clock = std::max(state_->clock, date);
}

bool ExplorerBackend::is_dead(NodeId node) const {
  return state_->find_node(node)->dead;
}

bool ExplorerBackend::everybody_done() const {
  return state_->clients_left == 0;
}

}  // namespace latchlab
