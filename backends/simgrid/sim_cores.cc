// CPU cores that actors share, and what can be wrong with a CPU or a clock. A client without a core
// here has one of its own and never waits for it; a fault of its CPU gives it a modelled one.
//
// A core does one thing at a time, to its end: posting, handling a completion, CPU access to
// registered memory, compute. What its clients can go on with waits in one queue; the node's part
// shares the first core with them. The server part of a node has cores apart from those, with one
// queue for them all: a call that comes in and whatever the part goes on with take the first that
// is free. Either keeps its core until it waits for something that is not CPU.

#include <algorithm>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"

namespace latchlab::sim {

namespace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)
constexpr std::int64_t kPerBillion = 1'000'000'000;

}  // namespace

// ---- cores ----

// Clients of a node take its cores in turn.
void Simulator::place_on_core(SimActor& actor) {
  Node& here = node(actor.node());
  if (actor.kind() == ActorKind::server) return place_on_server(actor);
  if (options_.cores == 0) return;
  const std::size_t place = actor.kind() == ActorKind::client ? here.clients++ % options_.cores : 0;
  if (place == here.cores.size()) {
    own_core(actor);
  } else {
    actor.core = here.cores[place].get();
  }
}

void Simulator::place_on_server(SimActor& actor) {
  Node& here = node(actor.node());
  if (!here.server_cores) {
    here.server_cores = std::make_unique<CoreQueue>();
    here.server_cores->cores.resize(static_cast<std::size_t>(actor.nic.server_cores));
    for (Core& core : here.server_cores->cores) {
      core.order = actor.index;
      core.shared = here.server_cores.get();
    }
  }
  actor.core = &here.server_cores->cores.front();
}

Core& Simulator::own_core(SimActor& actor) {
  if (actor.core == nullptr) {
    actor.core = node(actor.node()).cores.emplace_back(std::make_unique<Core>()).get();
    actor.core->order = actor.index;
  }
  return *actor.core;
}

Duration Simulator::cpu_time(const SimActor& actor, Duration length) const {
  if (actor.cpu == nullptr || actor.cpu->slow_ppb == 0) return length;
  const Wide more = static_cast<Wide>(length.ps) * actor.cpu->slow_ppb / kPerBillion;
  return more > kForever.ps - length.ps ? kForever
                                        : length + Duration{static_cast<std::int64_t>(more)};
}

// When the actor's core has worked this long for it.
Time Simulator::work(SimActor& actor, Duration length) {
  Core& core = *actor.core;
  const Duration takes = cpu_time(actor, length);
  core.free = saturating_add(std::max(core.free, now_), takes);
  if (core.shared != nullptr && core.free != kNever) core.shared->busy += takes;
  return core.free;
}

// CPU operations are no occasion for others to get the core.
void Simulator::hold_core(SimActor& actor, SimOperation& op) {
  op.holds_core =
      op.kind == OpKind::cpu || op.kind == OpKind::compute || op.kind == OpKind::on_node;
  if (!op.holds_core) return;
  op.core = actor.core;
  ++op.core->held;
}

// What the NIC has done is handled by the CPU; that is over when `completion` has passed, on an
// idle core. After a CPU operation its actor goes on at once.
void Simulator::queue_completion(const SimOperation& op, SimOperation& first) {
  SimActor& actor = owner(op);
  if (!is_remote(op.kind) && op.holds_core) {
    Core& core = *op.core;
    if (actor.paused(now_)) {
      actor.cpu->paused.push_back({&actor, &first, nullptr, nullptr, now_, {}});
    } else {
      actor.core = &core;
      hand_over(actor, first);
    }
    if (--core.held == 0 && !core.scheduled) run_core(core);
    return;
  }
  const Duration handling = is_remote(op.kind) ? actor.nic.completion : Duration{};
  const Duration cost = cpu_time(actor, handling);
  queue_for_core({&actor, &first, nullptr, nullptr, now_ + (cost - handling), cost});
}

void Simulator::queue_for_core(const Ready& ready) {
  SimActor& actor = *ready.actor;
  Core* core = actor.core;
  if (CoreQueue* const shared = core->shared) {
    core = actor.paused(now_) ? nullptr : shared->idle_core();
    if (core == nullptr) return shared->waiting.push_back(ready);
  } else if (actor.paused(now_)) {
    return actor.cpu->paused.push_back(ready);
  }
  core->ready.push_back(ready);
  if (!core->scheduled && core->held == 0) run_core(*core);
}

// Whether there is something for the core to do; a shared one looks for more.
bool Simulator::has_work(Core& core) {
  if (!core.ready.empty()) return true;
  CoreQueue* const shared = core.shared;
  if (shared == nullptr || shared->waiting.empty()) return false;
  if (shared->waiting.front().actor->paused(now_)) return false;
  core.ready.push_back(shared->waiting.front());
  shared->waiting.pop_front();
  return true;
}

void Simulator::run_core(Core& core) {
  core.scheduled = true;  // what is resumed may ask for this core
  while (core.held == 0 && has_work(core)) {
    const Ready next = core.ready.front();
    const Time due = std::max(next.since, saturating_add(core.free, next.cost));
    if (due == kNever) break;
    if (due > now_) return push(due, core.order, EventKind::core, &core);
    core.ready.pop_front();
    if (next.actor->paused(now_)) {
      next.actor->cpu->paused.push_back(next);
      if (core.shared != nullptr) next.actor->cpu->paused.back().cost = {};  // it had begun
    } else {
      core.free = now_;
      if (core.shared != nullptr) core.shared->count(next, now_);
      next.actor->core = &core;
      go_on(next);
    }
  }
  core.scheduled = false;
}

// Whoever waits for the batch goes on; its slots are free again if nobody is left to do it.
void Simulator::hand_over(SimActor& actor, SimOperation& first) {
  if (first.life == actor.life) return resume(actor, first.waiter);
  for (Operation* at = &first; at != nullptr;) {
    Operation* following = at->next;
    recycle(static_cast<SimOperation&>(*at));
    at = following;
  }
}

void Simulator::go_on(const Ready& ready) {
  if (ready.wait != nullptr) return woken(*ready.wait);
  if (ready.sleep != nullptr) return end_sleep(*ready.sleep);
  if (ready.call != nullptr) return call_up(*ready.call);
  if (ready.first == nullptr) return start_root(*ready.actor);
  hand_over(*ready.actor, *ready.first);
}

// ---- faults ----

void Simulator::pause_actor(SimActor& actor, Duration length) {
  own_core(actor);
  const Time until = saturating_add(now_, length);
  CpuTrouble& cpu = actor.trouble();
  if (until <= cpu.paused_until) return;
  cpu.paused_total += until - std::max(now_, cpu.paused_until);
  cpu.paused_until = until;
  SimActor* paused = &actor;
  if (until != kNever) at(until, [this, paused] { end_pause(*paused); });
}

void Simulator::end_pause(SimActor& actor) {
  if (actor.paused(now_)) return;  // paused again meanwhile
  CoreQueue* const shared = actor.core->shared;
  if (shared != nullptr)
    for (Core& core : shared->cores) core.free = std::max(core.free, now_);
  for (const Ready& ready : std::exchange(actor.cpu->paused, {})) queue_for_core(ready);
  if (shared == nullptr) return;
  for (Core& core : shared->cores)
    if (core.idle()) run_core(core);
}

void Simulator::pause(ClientId client, Duration length) {
  LATCHLAB_CHECK(client.value < clients_.size() && clients_[client.value] != nullptr,
                 "pause of a client that does not exist");
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0x9a05e, client.value});
  pause_actor(*clients_[client.value], length);
}

void Simulator::pause_node(NodeId id, Duration length) {
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0x9a05ed, id.value});
  for (const auto& actor : actors_)
    if (actor->node() == id) pause_actor(*actor, length);
}

void Simulator::slow_down(ClientId client, std::int64_t factor_ppb) {
  LATCHLAB_CHECK(client.value < clients_.size() && clients_[client.value] != nullptr,
                 "slow CPU of a client that does not exist");
  LATCHLAB_CHECK(factor_ppb >= kPerBillion, "a slow CPU is not faster than a usual one");
  SimActor& actor = *clients_[client.value];
  own_core(actor);
  actor.trouble().slow_ppb = factor_ppb - kPerBillion;
}

// Deadlines move with the clock; sleeps that are under way last as they would have.
void Simulator::disturb_clock(NodeId id, Duration jump, std::optional<std::int64_t> drift_ppb) {
  Node& here = node(id);
  here.clock_offset = local_now(id) - now_ + jump;
  here.clock_since = now_;
  if (drift_ppb) here.drift_q60 = rate_q60(*drift_ppb);
  clock_moved(here);
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0xc10c, id.value,
                    static_cast<std::uint64_t>(here.clock_offset.ps)});
  for (const auto& actor : actors_) {
    if (actor->node() != id) continue;
    for (SimWait* wait = actor->waits.front(); wait != nullptr; wait = wait->queue_next) {
      wait->deadline_true = true_date_of(here, wait->set.deadline);
      arm_timer(*actor, *wait);
    }
  }
}

}  // namespace latchlab::sim
