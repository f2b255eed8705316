#include "backends/simgrid/cpus.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab::sim {

Core* CoreQueue::idle_core() {
  Core* best = nullptr;
  for (Core& core : cores)
    if (core.idle() && (best == nullptr || core.free < best->free)) best = &core;
  return best;
}

// The work that it was given and has not finished.
Duration Core::still_to_do(Time now) const {
  return free > now && free != kNever ? free - now : Duration{};
}

Duration CoreQueue::still_to_do(Time now) const {
  Duration left;
  for (const Core& core : cores) left += core.still_to_do(now);
  return left;
}

// ---- assignment of cores ----

// Clients of a node are assigned to its cores in turn.
void Cpus::place(SimActor& actor) {
  if (actor.kind() == ActorKind::server) return place_on_server(actor);
  const bool client = actor.kind() == ActorKind::client;
  OfNode& here = of_[actor.node()];
  if (cores_.per_node == 0) {
    actor.cpu.cache_ = here.caches++;
    return;
  }
  const std::size_t place = client ? here.clients.size() % cores_.per_node : 0;
  actor.cpu.cache_ = static_cast<std::uint32_t>(place);
  if (client) here.clients.push_back(&actor);
  if (cores_.sharing == CoreSharing::threads) {
    if (client && here.clients.size() > cores_.per_node) {
      halve_core(actor);
      halve_core(*here.clients[place]);
    }
  } else if (place == here.cores.size()) {
    own_core(actor);
  } else {
    actor.cpu.core_ = here.cores[place].get();
  }
}

// The actor of the core's other hardware thread polls while it waits, and so always uses its share.
void Cpus::halve_core(SimActor& actor) {
  if (actor.nic.shared_core_ppb == kFullSpeed) return;
  trouble(actor).core_ppb = actor.nic.shared_core_ppb;
  slow_down(actor, kFullSpeed);
}

void Cpus::place_on_server(SimActor& actor) {
  std::unique_ptr<CoreQueue>& server = of_[actor.node()].server;
  if (!server) {
    server = std::make_unique<CoreQueue>();
    server->cores.resize(static_cast<std::size_t>(actor.nic.server_cores));
    std::uint32_t caches = kServerCaches;
    for (Core& core : server->cores) {
      core.order = actor.index;
      core.cache = caches--;
      core.shared = server.get();
    }
  }
  actor.cpu.core_ = &server->cores.front();
}

Core& Cpus::own_core(SimActor& actor) {
  if (actor.cpu.core_ == nullptr) {
    actor.cpu.core_ = of_[actor.node()].cores.emplace_back(std::make_unique<Core>()).get();
    actor.cpu.core_->order = actor.index;
  }
  return *actor.cpu.core_;
}

// ---- work ----

Duration Cpus::cpu_time(const SimActor& actor, Duration length) const {
  const CpuTrouble* const trouble = actor.cpu.trouble_;
  if (trouble == nullptr || trouble->slow_ppb == 0) return length;
  const Wide more = static_cast<Wide>(length.ps) * trouble->slow_ppb / kFullSpeed;
  return more > kForever.ps - length.ps ? kForever
                                        : length + Duration{static_cast<std::int64_t>(more)};
}

// When the actor's core has worked for this long, after the work that it has already.
Time Cpus::work(SimActor& actor, Duration length) {
  Core& core = *actor.cpu.core_;
  const Duration takes = cpu_time(actor, length);
  core.free = saturating_add(std::max(core.free, timeline_.now()), takes);
  if (core.free != kNever) (core.shared != nullptr ? core.shared->busy : core.busy) += takes;
  return core.free;
}

Time Cpus::posted(SimActor& actor, OpKind kind) {
  const bool queues = actor.cpu.core_ != nullptr && is_remote(kind);
  return queues ? work(actor, actor.nic.post) : timeline_.now() + actor.nic.post;
}

// During CPU operations the core is not given to another actor.
void Cpus::hold_core(SimActor& actor, SimOperation& op) {
  op.holds_core =
      op.kind == OpKind::cpu || op.kind == OpKind::compute || op.kind == OpKind::on_node;
  if (!op.holds_core) return;
  op.core = actor.cpu.core_;
  ++op.core->held;
}

// After a CPU operation its actor continues on the core without queueing.
void Cpus::go_on_holding(SimActor& actor, const SimOperation& op, SimOperation& first) {
  Core& core = *op.core;
  if (paused(actor)) {
    actor.cpu.trouble_->paused.push_back({&actor, Gate::batch, &first, timeline_.now()});
  } else {
    actor.cpu.core_ = &core;
    hand_over(actor, first);
  }
  if (--core.held == 0 && !core.scheduled) run(core);
}

// ---- the queues of the cores ----

// The CPU handles what the NIC has completed; on an idle core this ends when `handling` has passed.
bool Cpus::queue(Ready ready, Duration handling) {
  if (ready.actor->cpu.core_ == nullptr) return false;
  ready.cost = cpu_time(*ready.actor, handling);
  ready.since = ready.since + (ready.cost - handling);
  enqueue(ready);
  return true;
}

void Cpus::begin(SimActor& actor) {
  if (!queue({&actor, Gate::root, &actor, timeline_.now()}, {})) actors_.begin(actor);
}

void Cpus::enqueue(const Ready& ready) {
  SimActor& actor = *ready.actor;
  Core* core = actor.cpu.core_;
  if (CoreQueue* const shared = core->shared) {
    core = paused(actor) ? nullptr : shared->idle_core();
    if (core == nullptr) return shared->waiting.push_back(ready);
  } else if (paused(actor)) {
    return actor.cpu.trouble_->paused.push_back(ready);
  }
  core->ready.push_back(ready);
  if (!core->scheduled && core->held == 0) run(*core);
}

// Whether the core has work; a core of a server part takes more from the shared queue.
bool Cpus::has_work(Core& core) {
  if (!core.ready.empty()) return true;
  CoreQueue* const shared = core.shared;
  if (shared == nullptr || shared->waiting.empty()) return false;
  if (paused(*shared->waiting.front().actor)) return false;
  core.ready.push_back(shared->waiting.front());
  shared->waiting.pop_front();
  return true;
}

void Cpus::run(Core& core) {
  core.scheduled = true;  // a coroutine that it resumes may ask for this core
  while (core.held == 0 && has_work(core)) {
    const Ready next = core.ready.front();
    const Time due = std::max(next.since, saturating_add(core.free, next.cost));
    if (due == kNever) break;
    if (due > timeline_.now()) return timeline_.push(due, core.order, Gate::core, &core);
    core.ready.pop_front();
    if (paused(*next.actor)) {
      std::vector<Ready>& kept = next.actor->cpu.trouble_->paused;
      kept.push_back(next);
      if (core.shared != nullptr) kept.back().cost = {};  // its handling had begun
    } else {
      core.free = timeline_.now();
      if (core.shared != nullptr)
        core.shared->count(next, timeline_.now());
      else
        core.busy += next.cost;
      next.actor->cpu.core_ = &core;
      timeline_.pass(next.gate, next.subject);
    }
  }
  core.scheduled = false;
}

// ---- faults ----

bool Cpus::paused(const SimActor& actor) const {
  return actor.cpu.trouble_ != nullptr && actor.cpu.trouble_->paused_until > timeline_.now();
}

Duration Cpus::paused_total(const SimActor& actor) const {
  return actor.cpu.trouble_ != nullptr ? actor.cpu.trouble_->paused_total : Duration{};
}

CpuTrouble& Cpus::trouble(SimActor& actor) {
  own_core(actor);
  if (actor.cpu.trouble_ == nullptr) actor.cpu.trouble_ = &troubles_.emplace_back();
  return *actor.cpu.trouble_;
}

void Cpus::pause(SimActor& actor, Duration length) {
  CpuTrouble& cpu = trouble(actor);
  const Time now = timeline_.now();
  const Time until = saturating_add(now, length);
  if (until <= cpu.paused_until) return;
  cpu.paused_total += until - std::max(now, cpu.paused_until);
  cpu.paused_until = until;
  SimActor* paused = &actor;
  if (until != kNever) timeline_.at(until, [this, paused] { end_pause(*paused); });
}

void Cpus::end_pause(SimActor& actor) {
  if (paused(actor)) return;  // paused again meanwhile
  CoreQueue* const shared = actor.cpu.core_->shared;
  if (shared != nullptr)
    for (Core& core : shared->cores) core.free = std::max(core.free, timeline_.now());
  for (const Ready& ready : std::exchange(actor.cpu.trouble_->paused, {})) enqueue(ready);
  if (shared == nullptr) return;
  for (Core& core : shared->cores)
    if (core.idle()) run(core);
}

void Cpus::slow_down(SimActor& actor, std::int64_t factor_ppb) {
  LATCHLAB_CHECK(factor_ppb >= kFullSpeed, "a slow CPU is not faster than a usual one");
  CpuTrouble& cpu = trouble(actor);
  const Wide both = static_cast<Wide>(factor_ppb) * cpu.core_ppb / kFullSpeed;
  cpu.slow_ppb = static_cast<std::int64_t>(both) - kFullSpeed;
}

void Cpus::forget(SimActor& dead) {
  if (dead.cpu.flushing_ != nullptr)
    operations_.recycle(*std::exchange(dead.cpu.flushing_, nullptr));
}

// ---- statistics ----

void Cpus::reset_stats() {
  for (OfNode& each : of_) {
    for (const auto& core : each.cores) core->busy = core->still_to_do(timeline_.now());
    if (!each.server) continue;
    each.server->busy = each.server->still_to_do(timeline_.now());
    each.server->queued = {};
    each.server->starts = 0;
  }
}

CpuStats Cpus::busiest() const {
  CpuStats stats;
  for (const OfNode& each : of_) {
    if (!each.server) continue;
    const Duration busy = each.server->busy - each.server->still_to_do(timeline_.now());
    if (stats.cores > 0 && busy <= stats.busy) continue;
    stats = {each.server->cores.size(), busy, each.server->queued, each.server->starts};
  }
  return stats;
}

CpuStats Cpus::of_clients() const {
  CpuStats stats;
  for (const OfNode& each : of_) {
    stats.cores += each.cores.size();
    for (const auto& core : each.cores)
      stats.busy += core->busy - core->still_to_do(timeline_.now());
  }
  return stats;
}

}  // namespace latchlab::sim
