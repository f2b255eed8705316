// CPU cores that clients share, and what can be wrong with a CPU or a clock. A client without a
// core here has one of its own and never waits for it; a fault of its CPU gives it a modelled one.
//
// A core does one thing at a time, to its end: posting, handling a completion, CPU access to
// registered memory, compute. What its clients can go on with waits in one queue.

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
  const std::uint32_t place = here.clients++;
  if (options_.cores == 0) return;
  if (place < options_.cores) {
    own_core(actor);
  } else {
    actor.core = here.cores[place % options_.cores].get();
  }
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
  core.free = saturating_add(std::max(core.free, now_), cpu_time(actor, length));
  return core.free;
}

// CPU operations are no occasion for others to get the core.
void Simulator::hold_core(SimActor& actor, SimOperation& op) {
  op.holds_core =
      op.kind == OpKind::cpu || op.kind == OpKind::compute || op.kind == OpKind::on_node;
  if (op.holds_core) ++actor.core->held;
}

// What the NIC has done is handled by the CPU; that is over when `completion` has passed, on an
// idle core. After a CPU operation its actor goes on at once.
void Simulator::queue_completion(const SimOperation& op, SimOperation& first) {
  SimActor& actor = owner(op);
  if (!is_remote(op.kind) && op.holds_core) {
    Core& core = *actor.core;
    if (actor.paused(now_))
      actor.cpu->paused.push_back({&actor, &first, nullptr, nullptr, now_, {}});
    else
      hand_over(actor, first);
    if (--core.held == 0 && !core.scheduled) run_core(core);
    return;
  }
  const Duration handling = is_remote(op.kind) ? nic_.completion : Duration{};
  const Duration cost = cpu_time(actor, handling);
  queue_for_core({&actor, &first, nullptr, nullptr, now_ + (cost - handling), cost});
}

void Simulator::queue_for_core(const Ready& ready) {
  SimActor& actor = *ready.actor;
  if (actor.paused(now_)) return actor.cpu->paused.push_back(ready);
  Core& core = *actor.core;
  core.ready.push_back(ready);
  if (!core.scheduled && core.held == 0) run_core(core);
}

void Simulator::run_core(Core& core) {
  core.scheduled = true;  // what is resumed may ask for this core
  while (!core.ready.empty() && core.held == 0) {
    const Ready next = core.ready.front();
    const Time due = std::max(next.since, saturating_add(core.free, next.cost));
    if (due == kNever) break;
    if (due > now_) return push(due, core.order, EventKind::core, &core);
    core.ready.pop_front();
    if (next.actor->paused(now_)) {
      next.actor->cpu->paused.push_back(next);
    } else {
      core.free = now_;
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
  for (const Ready& ready : std::exchange(actor.cpu->paused, {})) queue_for_core(ready);
}

void Simulator::pause(ClientId client, Duration length) {
  LATCHLAB_CHECK(client.value < clients_.size() && clients_[client.value] != nullptr,
                 "pause of a client that does not exist");
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0x9a05e, client.value});
  pause_actor(*clients_[client.value], length);
}

void Simulator::pause_node(NodeId id, Duration length) {
  Node& here = node(id);
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0x9a05ed, id.value});
  here.paused_until = std::max(here.paused_until, saturating_add(now_, length));
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

// Deadlines of waits move with the clock; sleeps that are under way last as they would have.
void Simulator::disturb_clock(NodeId id, Duration jump, std::optional<std::int64_t> drift_ppb) {
  Node& here = node(id);
  here.clock_offset = local_now(id) - now_ + jump;
  here.clock_since = now_;
  if (drift_ppb) here.drift_q60 = rate_q60(*drift_ppb);
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
