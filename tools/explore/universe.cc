#include "tools/explore/universe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/explorer/world.h"
#include "core/checks/safety_monitor.h"
#include "core/runner/world.h"
#include "core/workload/client_loop.h"
#include "tools/explore/choosers.h"

namespace latchlab::explore {

using explorer::ArenaScope;
using explorer::Step;
using explorer::StepKind;
using explorer::StepList;

LockMode Case::mode(std::uint32_t client, std::uint32_t operation) const {
  const bool known = client < modes.size() && operation < modes[client].size();
  return known && modes[client][operation] == 'S' ? LockMode::shared : LockMode::exclusive;
}

const char* name_of(Wrong wrong) {
  static constexpr std::array<const char*, kWrongs> kNames = {
      "nothing",        "mutual exclusion",    "late effect", "deadlock",
      "foreign memory", "not free at the end", "no progress"};
  return kNames[static_cast<std::size_t>(wrong)];
}

namespace {

// Long enough to be a step of its own: a critical section during which anything may happen.
constexpr Duration kHold = nanoseconds(1);

WorldShape shape_of(const Case& setup) {
  WorldShape shape;
  shape.client_nodes = setup.client_nodes;
  shape.clients_per_node = setup.clients_per_node;
  shape.locks.count = 1;
  return shape;
}

ExplorerOptions options_of(explorer::SearchSupport& support) {
  ExplorerOptions options;
  options.search = &support;
  return options;
}

bool looks_idly(const Step& step) {
  return step.kind == StepKind::probe_launch && step.part == explorer::kIdleLook;
}

}  // namespace

// Lies in the world's arena, with all that it owns.
class Universe::Body final : public OperationSource,
                             public LoopObserver,
                             public SafetyMonitor::Clocks {
 public:
  Body(const Case& setup, const Protocol& protocol, explorer::SearchSupport& support)
      : setup_(setup),
        world_(protocol, shape_of(setup)),
        backend_(world_.plan(), options_of(support)),
        monitor_(setup.clients(), *this),
        done_(setup.clients()),
        holds_(setup.clients()),
        dead_(setup.clients()),
        crashes_left_(setup.crashes),
        timeouts_left_(setup.timeouts),
        own_arena_(&support.arenas[0]) {}

  void begin() {
    world_.attach(backend_);
    for (std::uint32_t i = 0; i < setup_.clients(); ++i) {
      Verbs& verbs = world_.verbs(ClientId{i});
      const ArenaScope scope(static_cast<explorer::Actor&>(verbs).arena);
      backend_.spawn(verbs, client_loop(verbs, world_.client(ClientId{i}), *this, *this), Time{});
    }
  }

  void crash(ClientId client, Chooser& inner) {
    --crashes_left_;
    dead_[client.value] = 1;
    holds_[client.value] = 0;
    monitor_.crashed(client);
    backend_.crash(client, CrashKind::client, inner);
  }
  void timeout(Time date) {
    --timeouts_left_;
    backend_.move_clock(date);
  }
  bool may_crash(ClientId client) const {
    return crashes_left_ > 0 && dead_[client.value] == 0 &&
           done_[client.value] <= setup_.operations;
  }
  bool anybody_dead() const { return crashes_left_ < setup_.crashes; }
  std::uint32_t timeouts_left() const { return timeouts_left_; }
  ExplorerBackend& backend() { return backend_; }
  const SafetyMonitor& monitor() const { return monitor_; }
  bool holds(std::uint32_t client) const { return holds_[client] != 0; }
  RemoteAddr entry_place() const { return world_.lock(LockId{0}).entry; }
  std::vector<std::uint64_t> entry() {
    const RemoteAddr at = entry_place();
    std::vector<std::uint64_t> words;
    for (std::uint64_t w = 0; w < world_.entry_bytes() / 8; ++w)
      words.push_back(backend_.peek(at + 8 * w));
    return words;
  }

 private:
  bool next(ClientId client, ClientOperation& operation) override {
    const std::uint32_t index = done_[client.value]++;
    if (index >= setup_.operations) return false;
    operation.lock = world_.lock(LockId{0});
    operation.mode = setup_.mode(client.value, index);
    operation.hold = kHold;
    return true;
  }
  void acquire_begins(ClientId client, const ClientOperation& operation) override {
    monitor_.requested(client, operation.lock.id, operation.mode);
  }
  void acquire_aborted(ClientId client, AbortReason /*reason*/) override {
    monitor_.withdrawn(client);
  }
  void acquired(ClientId client, const Grant& grant) override {
    const ArenaScope scope(own_arena_);
    monitor_.granted(client, grant);
    holds_[client.value] = 1;
  }
  void release_begins(ClientId client, const Grant& grant) override {
    monitor_.releasing(client, grant.lock.id);
    holds_[client.value] = 0;
  }
  void released(ClientId client, const Grant& /*grant*/, ReleaseResult result) override {
    monitor_.released(client, result);
  }
  Time local_now(ClientId client) const override {
    return backend_.local_now(world_.node_of(client));
  }

  const Case& setup_;
  World world_;
  ExplorerBackend backend_;
  SafetyMonitor monitor_;
  std::vector<std::uint32_t> done_;
  std::vector<char> holds_;
  std::vector<char> dead_;
  std::uint32_t crashes_left_;
  std::uint32_t timeouts_left_;
  explorer::Arena* own_arena_;  // where what the monitor allocates belongs
};

Universe::Universe(const Case& setup, const Protocol& protocol, explorer::SearchSupport& support)
    : setup_(setup), protocol_(protocol), support_(support) {
  support_.reduce = setup.reduce;
  support_.may_crash = setup.crashes > 0;
  const std::size_t first = support_.arenas.add();
  LATCHLAB_CHECK(first == 0, "the world's own arena comes first");
  const ArenaScope scope(&support_.arenas[first]);
  body_ = new Body(setup_, protocol_, support_);
  body_->begin();
  explorer::select_arena(&support_.arenas[first]);
  FirstChooser inner;
  settle(inner);
}

Universe::~Universe() {
  const ArenaScope scope(&support_.arenas[0]);
  delete body_;
}

ExplorerBackend& Universe::backend() const {
  return body_->backend();
}

bool Universe::finished() const {
  return body_->backend().everybody_done();
}

std::vector<Choice> Universe::choices() {
  std::vector<Choice> choices;
  const StepList& steps = body_->backend().possible();
  for (const Step& step : steps.now) choices.push_back({Choice::Kind::step, step, {}, {}});
  // When everybody just looks on, nobody will see anything.
  if (std::all_of(steps.now.begin(), steps.now.end(), looks_idly)) choices.clear();
  cut_ = false;
  if (finished()) return choices;
  if (choices.empty()) add_timeouts(steps, choices);
  for (std::uint32_t i = 0; i < setup_.clients(); ++i)
    if (body_->may_crash(ClientId{i}))
      choices.push_back({Choice::Kind::crash, {}, ClientId{i}, {}});
  return choices;
}

// Leases are longer than anything that live clients do: they end only when somebody has died and
// nothing else can happen. A sender's patience may end without that.
void Universe::add_timeouts(const StepList& steps, std::vector<Choice>& choices) {
  const auto possible = [&](const StepList::Later& later) {
    return body_->anybody_dead() || later.step.kind == StepKind::send_fail;
  };
  std::optional<Time> next;
  for (const StepList::Later& later : steps.later)
    if (possible(later) && (!next || later.date < *next)) next = later.date;
  if (!next) return;
  cut_ = body_->timeouts_left() == 0;
  if (cut_) return;
  for (const StepList::Later& later : steps.later)
    if (possible(later) && later.date == *next)
      choices.push_back({Choice::Kind::timeout, later.step, {}, *next});
}

void Universe::make(const Choice& choice, Chooser& inner) {
  ExplorerBackend& backend = body_->backend();
  if (choice.kind == Choice::Kind::crash) {
    body_->crash(choice.victim, inner);
  } else {
    if (choice.kind == Choice::Kind::timeout) body_->timeout(choice.date);
    if (listener_ != nullptr) listener_->about_to(choice.step, false);
    backend.make(choice.step, inner);
  }
  settle(inner);
}

void Universe::settle(Chooser& inner) {
  ExplorerBackend& backend = body_->backend();
  for (;;) {
    backend.possible();
    const Step* step = backend.forced_step();
    if (step == nullptr) return;
    if (listener_ != nullptr) listener_->about_to(*step, true);
    backend.make(*step, inner);
  }
}

Wrong Universe::wrong(bool terminal) const {
  const SafetyCounts& counts = body_->monitor().counts();
  if (counts.violations > 0) return Wrong::mutual_exclusion;
  if (counts.late_effects > 0) return Wrong::late_effect;
  if (body_->backend().world().foreign_access) return Wrong::foreign;
  if (!terminal) return Wrong::nothing;
  if (!finished()) return Wrong::deadlock;
  const std::vector<std::uint64_t> words = body_->entry();
  const bool must_be_free = !body_->anybody_dead();
  return must_be_free && !protocol_.is_free(body_->entry_place(), words) ? Wrong::not_free
                                                                         : Wrong::nothing;
}

void follow(Universe& universe, const std::vector<Move>& path) {
  for (const Move& move : path) {
    const std::vector<Choice> choices = universe.choices();
    LATCHLAB_CHECK(move.choice < choices.size(), "a path fits the world that it was found in");
    ScriptedChooser inner(move.inner);
    universe.make(choices[move.choice], inner);
  }
}

std::string Universe::entry() const {
  return protocol_.decode(body_->entry());
}

std::vector<ClientId> Universe::holders() const {
  std::vector<ClientId> holders;
  for (std::uint32_t i = 0; i < setup_.clients(); ++i)
    if (body_->holds(i)) holders.push_back(ClientId{i});
  return holders;
}

std::string Universe::describe(Wrong wrong) const {
  switch (wrong) {
    case Wrong::nothing:
      return "nothing is wrong";
    case Wrong::mutual_exclusion:
      return body_->monitor().describe_violation();
    case Wrong::late_effect:
      return "a holder whose grant had expired released the lock that somebody else held";
    case Wrong::deadlock:
      return "clients wait, and nothing can happen any more; entry: " + entry();
    case Wrong::foreign:
      return "a verb went to memory that is not there";
    case Wrong::not_free:
      return "everybody is done, and the entry does not look free: " + entry();
    case Wrong::no_progress:
      return "from here no order of events lets everybody finish; entry: " + entry();
  }
  return {};
}

}  // namespace latchlab::explore
