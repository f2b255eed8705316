// The interface of the explorer for searches: one step at a time, and steps that need no order.

#include <algorithm>

#include "backends/explorer/explorer_backend.h"
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

NodeId target_of(const OpSlot& op) {
  if (op.kind == OpKind::verb) return op.verb.addr.node;
  return op.kind == OpKind::send ? op.target.node : op.server;
}

// Whether the operation needs the path to another node until it completes.
bool needs_path(State& state, const OpSlot& op) {
  if (!op.reaches_others() || op.leftover || target_of(op) == op.actor->node()) return false;
  if (op.kind == OpKind::send && explorer::is_to_datagrams(state, op)) return false;
  const explorer::NodeState* node = state.find_node(target_of(op));
  return node != nullptr && !node->dead && op.completion.ok();
}

// Whether it may yet fail at the requester although its effect is over.
bool may_fail_late(const State& state, const OpSlot& op) {
  return op.takes_long || (state.cuts_expected && op.reaches_others() &&
                           target_of(op) != op.actor->node() && op.completion.ok());
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

// Detached operations do not delay their actor; if one fails, it flushes what was posted behind it.
bool has_detached(const Actor& actor) {
  return std::any_of(actor.ops.begin(), actor.ops.end(),
                     [](const OpSlot* op) { return op->detached && op->reaches_others(); });
}

// Whether the step touches its own actor only, and at most makes steps of other actors possible.
// Sleeps are excluded: their ends are the ends of critical sections.
bool commutes(const State& state, const Step& step) {
  const Actor& actor = *step.actor;
  if (state.cuts_expected && has_detached(actor)) return false;
  switch (step.kind) {
    case StepKind::complete:  // in a timed search it takes time
      return !state.timed() && !may_fail_late(state, *step.op) &&
             (step.op->detached || waits_for_one_thing(actor));
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
  state_->touch(*chosen.actor);
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
  state_->touch(actor);
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
    for (OpSlot* op : actor->ops) {
      if (!is_retried(*state_, *op)) continue;
      state_->touch(*actor);
      op->takes_long = true;
    }
}

void ExplorerBackend::expect_cuts(bool expected) {
  state_->cuts_expected = expected;
}

std::optional<explorer::Path> ExplorerBackend::path_of(const Step& step) const {
  const bool ends = explorer::by_nic(step.kind) || step.kind == StepKind::complete;
  if (step.op == nullptr || !ends || !needs_path(*state_, *step.op)) return std::nullopt;
  return explorer::Path{step.op->actor, target_of(*step.op)};
}

std::vector<Step> ExplorerBackend::cuts() {
  std::vector<Step> cuts;
  for (const auto& actor : state_->actors)
    for (OpSlot* op : actor->ops)
      if (!op->takes_long && needs_path(*state_, *op) && explorer::may_fail_by_path(*op))
        cuts.push_back(explorer::failing_by_path(*op));
  return cuts;
}

void ExplorerBackend::keep_retrying(const explorer::Path& path) {
  state_->touch(*path.from);
  for (OpSlot* op : path.from->ops)
    if (needs_path(*state_, *op) && target_of(*op) == path.to) op->takes_long = true;
}

void ExplorerBackend::move_clock(Time date) {
  state_->clock = std::max(state_->clock, date);
}

bool ExplorerBackend::is_dead(NodeId node) const {
  return state_->find_node(node)->dead;
}

bool ExplorerBackend::all_clients_done() const {
  return state_->clients_left == 0;
}

// ---- which steps are possible at which dates in a timed search: for every leg of every operation
// under way, one date for each latency; equal dates are in any order. No step is possible after the
// date by which another one has to happen ----

namespace {

// The dates at which a step is possible.
struct Window {
  std::vector<Time> dates;  // ascending
  bool must = true;  // it is made at the last date at the latest, unless it has become impossible
};

class Dating {
 public:
  explicit Dating(State& state) : state_(state) {}

  Window of(const Step& step) const {
    if (step.kind == StepKind::detect_crash) return {{state_.clock}, false};
    const bool takes_time = step.kind == StepKind::complete || explorer::by_nic(step.kind);
    if (!takes_time) return {{state_.clock}, true};
    const OpSlot& op = *step.op;
    const bool back = step.kind == StepKind::complete && op.effected;
    return leg(back ? op.effected_at : op.posted_at, op.possible_since);
  }

 private:
  // A leg that another operation delayed until `possible` ends then, if its latency is over.
  Window leg(Time begun, Time possible) const {
    Window window;
    for (const Duration latency : state_.search()->time.latencies) {
      const Time date = std::max(begun + latency, possible);
      const bool known = !window.dates.empty() && window.dates.back() == date;
      if (date >= state_.clock && !known) window.dates.push_back(date);
    }
    // A remaining part of an operation whose last date is now.
    if (window.dates.empty()) window.dates.push_back(state_.clock);
    return window;
  }

  const State& state_;
};

}  // namespace

const std::vector<StepList::Dated>& ExplorerBackend::possible_by_date(Time& last) {
  list_steps();
  const explorer::ArenaScope heap(nullptr);
  const Dating dating(*state_);
  last = kNever;
  for (const auto& actor : state_->actors)
    if (actor->paused) last = std::min(last, actor->paused_until);
  for (StepList::Later& later : steps_->later) {
    later.date = std::max(later.date, state_->clock);
    last = std::min(last, later.date);
  }
  std::vector<Window> windows;
  for (const Step& step : steps_->now) {
    windows.push_back(dating.of(step));
    if (windows.back().must) last = std::min(last, windows.back().dates.back());
  }
  for (std::size_t i = 0; i < windows.size(); ++i)
    for (const Time date : windows[i].dates)
      if (date <= last) steps_->dated.push_back({date, steps_->now[i]});
  for (const StepList::Later& later : steps_->later)
    if (later.date <= last) steps_->dated.push_back({later.date, later.step});
  return steps_->dated;
}

}  // namespace latchlab
