#include "backends/explorer/explorer_backend.h"

#include <algorithm>
#include <tuple>

#include "backends/explorer/state.h"
#include "backends/explorer/steps.h"

namespace latchlab {

using explorer::Actor;
using explorer::State;
using explorer::Step;
using explorer::StepKind;
using explorer::StepList;

namespace {

constexpr Duration kStep = nanoseconds(1);

Capabilities declared(const ExplorerOptions& options) {
  Capabilities all;
  for (int i = 0; i < kCapabilities; ++i) all.set(static_cast<Capability>(i), Support::native);
  all.set(Capability::timing, Support::absent);
  if (!options.atomic_with_writes) all.set(Capability::atomic_with_writes, Support::absent);
  return all;
}

// CPUs and NICs are separate owners, which run at their own speeds.
std::uint32_t owner_of(const Step& step) {
  return 2 * step.actor->index() + (explorer::by_nic(step.kind) ? 1 : 0);
}

// Whether the step is one of a paused client's CPU.
bool sleeps(const Step& step) {
  return step.actor->paused && !explorer::by_nic(step.kind);
}

std::unique_ptr<StepList> make_step_list() {
  const explorer::ArenaScope heap(nullptr);
  return std::make_unique<StepList>();
}

}  // namespace

ExplorerBackend::ExplorerBackend(const WorldPlan& plan, const ExplorerOptions& options)
    : capabilities_(declared(options)),
      state_(std::make_unique<State>(plan, options)),
      steps_(make_step_list()),
      planned_crashes_(options.crashes) {
  const auto earlier = [](const auto& a, const auto& b) {
    return std::tie(a.after_steps, a.client) < std::tie(b.after_steps, b.client);
  };
  std::sort(planned_crashes_.begin(), planned_crashes_.end(), earlier);
}

// Coroutines are destroyed before the pools, because they give slots back.
ExplorerBackend::~ExplorerBackend() {
  for (const auto& actor : state_->actors) actor->roots.clear();
}

Verbs& ExplorerBackend::add_actor(ActorKind kind, NodeId node, ClientId client) {
  return state_->add_actor(kind, node, client);
}

void ExplorerBackend::spawn(Verbs& verbs, Task<void> root, Time start) {
  auto& actor = static_cast<Actor&>(verbs);
  actor.roots.push_back({std::move(root), start, false});
  if (actor.kind() != ActorKind::client) return;
  state_->any_client = true;
  ++state_->clients_left;
}

void ExplorerBackend::serve_calls(Verbs& server, CallHandler& handler) {
  explorer::NodeState& node = *state_->find_node(server.node());
  node.server = static_cast<Actor*>(&server);
  node.handler = &handler;
}

RunEnd ExplorerBackend::run_until(Time date) {
  stop_requested_ = false;
  for (;;) {
    if (run_due_actions()) continue;
    crash_as_planned();
    if (stop_requested_) return RunEnd::stopped;
    if (state_->any_client && state_->clients_left == 0) return RunEnd::finished;
    const std::uint64_t limit = state_->options.max_steps;
    if (state_->clock >= date || (limit > 0 && steps_made_ >= limit)) return RunEnd::reached;
    list_steps();
    if (!steps_->now.empty()) {
      perform_chosen();
    } else if (steps_->later.empty() && actions_.empty()) {
      return RunEnd::stuck;
    } else if (!advance_clock(date)) {
      return RunEnd::reached;
    }
  }
}

// Runs the first action whose date has come; false: there is none.
bool ExplorerBackend::run_due_actions() {
  if (actions_.empty() || actions_.front().date > state_->clock) return false;
  const Action action = std::move(actions_.front());
  actions_.erase(actions_.begin());
  action.run();
  return true;
}

void ExplorerBackend::crash_as_planned() {
  while (!planned_crashes_.empty() && planned_crashes_.front().after_steps <= steps_made_) {
    const ExplorerOptions::Crash crash = planned_crashes_.front();
    planned_crashes_.erase(planned_crashes_.begin());
    explorer::crash_client(*state_, crash.client, crash.kind);
  }
}

void ExplorerBackend::list_steps() {
  const explorer::ArenaScope heap(nullptr);  // the list is not part of any state
  steps_->clear();
  if (state_->timed()) state_->note_effects();
  for (const auto& actor : state_->actors) {
    explorer::add_verb_steps(*state_, *actor, *steps_);
    explorer::add_send_steps(*state_, *actor, *steps_);
    explorer::add_call_steps(*state_, *actor, *steps_);
    explorer::add_local_steps(*state_, *actor, *steps_);
    explorer::add_wait_steps(*state_, *actor, *steps_);
    explorer::add_probe_steps(*state_, *actor, *steps_);
  }
  explorer::add_detection_steps(*state_, *steps_);
  std::erase_if(steps_->later, [](const auto& later) { return later.date == kNever; });
  std::erase_if(steps_->later, [](const auto& later) { return sleeps(later.step); });
  std::erase_if(steps_->now, sleeps);
  // A search's clock stands still: steps that may happen early are possible now.
  const bool searching = state_->search() != nullptr;
  if (state_->timed()) return state_->note_possible(*steps_);
  if (steps_->now.empty() && !searching) return;
  for (const StepList::Later& later : steps_->later)
    if (later.may_be_early) steps_->now.push_back(later.step);
  if (searching) std::erase_if(steps_->later, [](const auto& later) { return later.may_be_early; });
}

// Moves the clock to the earliest date at which a step becomes possible, and makes one; false: that
// is not before `limit`.
bool ExplorerBackend::advance_clock(Time limit) {
  Time next = kNever;
  for (const StepList::Later& later : steps_->later) next = std::min(next, later.date);
  if (!actions_.empty()) next = std::min(next, actions_.front().date);
  if (next >= limit) {
    state_->clock = std::max(state_->clock, limit);
    return false;
  }
  state_->clock = std::max(state_->clock, next);
  if (!actions_.empty() && actions_.front().date <= state_->clock) return true;
  for (const StepList::Later& later : steps_->later)
    if (later.date == next) steps_->now.push_back(later.step);
  perform_chosen();
  return true;
}

void ExplorerBackend::perform_chosen() {
  owners_.clear();
  for (const Step& step : steps_->now) owners_.push_back(owner_of(step));
  const Step step = steps_->now[state_->chooser->choose(owners_)];
  ++steps_made_;
  state_->clock = state_->clock + kStep;
  explorer::perform(*state_, step);
}

Time ExplorerBackend::true_now() const {
  return state_->clock;
}

void ExplorerBackend::at(Time date, std::function<void()> action) {
  const auto later = std::find_if(actions_.begin(), actions_.end(),
                                  [&](const Action& other) { return other.date > date; });
  actions_.insert(later, {date, std::move(action)});
}

// A crash that a coroutine asks for, possibly its own, happens right after its step.
void ExplorerBackend::crash(ClientId client, CrashKind kind) {
  if (state_->running()) {
    planned_crashes_.insert(planned_crashes_.begin(), {client, 0, kind});
  } else {
    explorer::crash_client(*state_, client, kind);
  }
}

Time ExplorerBackend::local_now(NodeId node) const {
  return state_->local_now(node);
}

std::uint64_t ExplorerBackend::peek(RemoteAddr word) {
  return state_->word(word);
}

void ExplorerBackend::poke(RemoteAddr word, std::uint64_t value) {
  state_->word(word) = value;
}

RunFingerprint& ExplorerBackend::fingerprint() {
  return state_->fingerprint;
}

VerbCensus ExplorerBackend::census() const {
  VerbCensus census = state_->census;
  for (const auto& actor : state_->actors)
    for (const explorer::OpSlot* op : actor->ops)
      if (op->reaches_others() && !op->leftover) ++census.in_flight;
  return census;
}

Unreceived ExplorerBackend::unreceived() const {
  Unreceived found;
  for (const explorer::NodeState& node : state_->nodes)
    for (const explorer::Endpoint& each : node.endpoints)
      if (each.owner->alive) found.count(each.queue.size(), each.recvs_free);
  return found;
}

const std::vector<std::uint32_t>& ExplorerBackend::choices() const {
  return state_->chooser->recorded();
}

std::unique_ptr<Backend> make_explorer(const WorldPlan& plan, const ExplorerOptions& options) {
  return std::make_unique<ExplorerBackend>(plan, options);
}

}  // namespace latchlab
