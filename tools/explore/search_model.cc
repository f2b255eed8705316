#include "tools/explore/search_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/explorer/state.h"
#include "tools/explore/case_run.h"
#include "tools/explore/choosers.h"

namespace latchlab::explore {

using explorer::ArenaScope;
using explorer::Step;
using explorer::StepKind;
using explorer::StepList;

namespace {
constexpr std::array<const char*, 3> kCrashUnits = {"client", "process", "node"};
}

const char* name_of(CrashUnit unit) {
  return kCrashUnits[static_cast<std::size_t>(unit)];
}

std::optional<CrashUnit> crash_unit_of(std::string_view name) {
  for (std::size_t i = 0; i < kCrashUnits.size(); ++i)
    if (name == kCrashUnits[i]) return static_cast<CrashUnit>(i);
  return std::nullopt;
}

const char* name_of(Violation violation) {
  static constexpr std::array<const char*, kViolations> kNames = {
      "nothing",        "mutual exclusion",    "late effect", "deadlock",
      "foreign memory", "not free at the end", "no progress", "bypassed"};
  return kNames[static_cast<std::size_t>(violation)];
}

namespace {

constexpr std::size_t kMostNodes = 64;

}  // namespace

SearchModel::SearchModel(const Case& setup, const Protocol& protocol,
                         explorer::SearchSupport& support)
    : setup_(setup), protocol_(protocol), support_(support) {
  support_.reduce = setup.reduce;
  support_.may_crash = setup.crashes > 0;
  support_.time.latencies = setup.time.latencies;
  support_.time.drift_ppm.assign(setup.time.drift_ppm.empty() ? 0 : kMostNodes, 0);
  const std::size_t first = support_.arenas.add();
  LATCHLAB_CHECK(first == 0, "the model's own arena comes first");
  const ArenaScope scope(&support_.arenas[first]);
  run_ = new CaseRun(setup_, protocol_, support_);
  run_->begin(support_);
  explorer::select_arena(&support_.arenas[first]);
  const std::vector<std::uint32_t> nothing_to_say;
  ScriptedChooser inner(nothing_to_say);
  settle(inner);
}

SearchModel::~SearchModel() {
  const ArenaScope scope(&support_.arenas[0]);
  delete run_;
}

ExplorerBackend& SearchModel::backend() const {
  return run_->backend();
}

const World& SearchModel::world() const {
  return run_->world();
}

std::vector<std::uint64_t> SearchModel::words_of(LockId lock) const {
  return run_->entry(lock);
}

void SearchModel::listen(StepListener* listener) {
  listener_ = listener;
  run_->listen(listener);
}

const char* SearchModel::what_cut() const {
  return setup_.timed() ? "the horizon was reached" : "the bound on timeouts was reached";
}

bool SearchModel::finished() const {
  return all_done() || run_->only_lost_causes();
}

bool SearchModel::all_done() const {
  return run_->backend().all_clients_done();
}

std::vector<Choice> SearchModel::choices() {
  return setup_.timed() ? timed_choices() : untimed_choices();
}

std::vector<Choice> SearchModel::timed_choices() {
  std::vector<Choice> choices;
  const Time horizon = Time{} + setup_.time.horizon;
  cut_ = false;
  Time last;
  // After all clients are done, their posted operations still take effect; timers of servers do not
  // matter.
  for (const StepList::Dated& dated : run_->backend().possible_by_date(last)) {
    if (out_of_turn(dated.step)) continue;
    if (all_done() && dated.step.op == nullptr) continue;
    cut_ = cut_ || dated.date > horizon;
    if (dated.date <= horizon) choices.push_back({Choice::Kind::step, dated.step, {}, dated.date});
  }
  if (all_done()) return choices;
  for (std::uint32_t i = 0; i < setup_.clients(); ++i) {
    const ClientId client{i};
    if (!run_->paused(client)) continue;
    const Time end = run_->backend().end_of_pause(client);
    if (end > last) continue;
    cut_ = cut_ || end > horizon;
    if (end <= horizon) choices.push_back({Choice::Kind::resume, {}, client, end});
  }
  add_faults(choices);
  return choices;
}

std::vector<Choice> SearchModel::untimed_choices() {
  std::vector<Choice> choices;
  const StepList& steps = run_->backend().possible();
  for (const Step& step : steps.now)
    if (!out_of_turn(step)) choices.push_back({Choice::Kind::step, step, {}, {}});
  // If the only possible steps are probes that see nothing new, nothing will change.
  if (std::all_of(steps.now.begin(), steps.now.end(), explorer::looks_idly)) choices.clear();
  cut_ = false;
  if (all_done()) return choices;
  if (choices.empty() || run_->outlast_leases(steps)) add_timeouts(steps, choices);
  add_resumptions(choices);
  add_faults(choices);
  if (run_->cuts_left() > 0)
    for (const Step& step : run_->backend().cuts())
      if (!out_of_turn(step)) choices.push_back({Choice::Kind::cut, step, {}, {}});
  return choices;
}

// Leases are longer than anything that live clients do. They expire only if a client has crashed or
// paused, or if the lock is released by time, or while RC retries or a path is down; and only when
// no other step is possible. A sender's retries may end without that.
void SearchModel::add_timeouts(const StepList& steps, std::vector<Choice>& choices) {
  const bool leases_end =
      run_->any_fault() || protocol_.limits().released_by_time || run_->outlast_leases(steps);
  const auto possible = [&](const StepList::Later& later) {
    return leases_end || later.step.kind == StepKind::send_fail;
  };
  std::optional<Time> next;
  for (const StepList::Later& later : steps.later)
    if (possible(later) && (!next || later.date < *next)) next = later.date;
  if (!next) return;
  cut_ = run_->timeouts_left() == 0;
  if (cut_) return;
  for (const StepList::Later& later : steps.later)
    if (possible(later) && later.date == *next)
      choices.push_back({Choice::Kind::timeout, later.step, {}, *next});
}

// A pause in which no lease expires is just another order of events. A pause has to end when no
// lease can expire any more.
void SearchModel::add_resumptions(std::vector<Choice>& choices) {
  const bool nothing_else = choices.empty();
  for (std::uint32_t i = 0; i < setup_.clients(); ++i) {
    const ClientId client{i};
    if (run_->paused_for_long(client) || (nothing_else && run_->paused(client)))
      choices.push_back({Choice::Kind::resume, {}, client, {}});
  }
}

bool SearchModel::out_of_turn(const Step& step) const {
  return step.actor->kind() == ActorKind::client && run_->out_of_turn(step.actor->client());
}

void SearchModel::add_faults(std::vector<Choice>& choices) {
  for (std::uint32_t i = 0; i < setup_.clients(); ++i)
    if (run_->may_pause(ClientId{i}) && !run_->out_of_turn(ClientId{i}))
      choices.push_back({Choice::Kind::pause, {}, ClientId{i}, {}});
  for (std::uint32_t i = 0; i < setup_.clients(); ++i)
    if (run_->may_crash(ClientId{i}) && !run_->out_of_turn(ClientId{i}))
      choices.push_back({Choice::Kind::crash, {}, ClientId{i}, {}, run_->crash_unit()});
}

void SearchModel::make(const Choice& choice, Chooser& inner) {
  run_->begin_move();
  const explorer::Actor* const actor = choice.step.actor;
  if (actor == nullptr) {
    run_->has_begun(choice.victim);
  } else if (actor->kind() == ActorKind::client) {
    run_->has_begun(actor->client());
  }
  switch (choice.kind) {
    case Choice::Kind::crash:
      run_->crash(choice.victim, inner);
      break;
    case Choice::Kind::pause:
      run_->pause(choice.victim);
      break;
    case Choice::Kind::resume:
      if (setup_.timed()) run_->move_clock(choice.date);
      run_->resume(choice.victim);
      break;
    case Choice::Kind::cut:
      if (listener_ != nullptr) listener_->about_to(choice.step, false);
      run_->cut(choice.step, inner);
      break;
    case Choice::Kind::timeout:
      run_->timeout(choice.date);
      [[fallthrough]];
    case Choice::Kind::step:
      if (setup_.timed()) run_->move_clock(choice.date);
      if (listener_ != nullptr) listener_->about_to(choice.step, false);
      run_->backend().make(choice.step, inner);
      break;
  }
  settle(inner);
}

void SearchModel::settle(Chooser& inner) {
  ExplorerBackend& backend = run_->backend();
  for (;;) {
    run_->see_effects();
    backend.possible();
    const Step* step = backend.forced_step();
    if (step == nullptr) return;
    if (listener_ != nullptr) listener_->about_to(*step, true);
    backend.make(*step, inner);
  }
}

Violation SearchModel::violation(bool terminal) const {
  const SafetyCounts& counts = run_->monitor().counts();
  if (counts.violations > 0) return Violation::mutual_exclusion;
  if (counts.late_effects > 0) return Violation::late_effect;
  if (run_->backend().state().foreign_access) return Violation::foreign;
  const Violation unfair = run_->bypasses().broken() ? Violation::bypassed : Violation::nothing;
  if (!terminal) return unfair;
  if (!finished()) return Violation::deadlock;
  if (run_->any_fault()) return unfair;
  for (LockId lock; lock.value < setup_.locks; ++lock.value)
    if (!run_->released_late(lock) &&
        !protocol_.is_free(run_->entry_place(lock), run_->entry(lock)))
      return Violation::not_free;
  return unfair;
}

void follow(SearchModel& model, const std::vector<Move>& path) {
  for (const Move& move : path) {
    const std::vector<Choice> choices = model.choices();
    LATCHLAB_CHECK(move.choice < choices.size(), "a path fits the model that it was found in");
    ScriptedChooser inner(move.inner);
    model.make(choices[move.choice], inner);
  }
}

std::string SearchModel::entry() const {
  std::string text;
  for (LockId lock; lock.value < setup_.locks; ++lock.value) {
    if (setup_.locks > 1)
      text += fmt::format("{}lock {}: ", lock.value > 0 ? "; " : "", lock.value);
    text += protocol_.decode(run_->entry(lock));
  }
  return text;
}

std::vector<ClientId> SearchModel::holders() const {
  std::vector<ClientId> holders;
  for (std::uint32_t i = 0; i < setup_.clients(); ++i)
    if (run_->holds(i)) holders.push_back(ClientId{i});
  return holders;
}

std::string SearchModel::describe(Violation violation) const {
  switch (violation) {
    case Violation::nothing:
      return "nothing is wrong";
    case Violation::mutual_exclusion:
      return run_->monitor().describe_violation();
    case Violation::late_effect:
      return "a holder whose grant had expired released the lock that another client held";
    case Violation::deadlock:
      return "clients wait, and nothing can happen any more; entry: " + entry();
    case Violation::foreign:
      return "a verb or a CPU went to memory that is not there, or not the lock's";
    case Violation::not_free:
      return "all clients have finished, and the entry does not look free: " + entry();
    case Violation::no_progress:
      return "from here no order of events lets all clients finish; entry: " + entry();
    case Violation::bypassed:
      return run_->bypasses().describe();
  }
  return {};
}

}  // namespace latchlab::explore
