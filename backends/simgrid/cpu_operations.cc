// The operations that a CPU runs on its own node, and the end of an operation of any kind.

#include <algorithm>
#include <utility>

#include "backends/simgrid/cpus.h"
#include "core/base/check.h"

namespace latchlab::sim {

// ---- operations on the own node ----

Time& Cpus::OfNode::among_others(std::uint64_t part, Time now) {
  std::erase_if(others, [now](const Visit& each) { return each.until <= now; });
  if (one.part == part) return one.until;
  for (Visit& each : others)
    if (each.part == part) return each.until;
  return others.emplace_back(Visit{part, {}}).until;
}

void Cpus::post(SimActor& actor, SimOperation& op) {
  op.holds_core = false;
  if (actor.cpu.core_ != nullptr) hold_core(actor, op);
  if (op.kind == OpKind::flush && actor.cpu.detached_ > 0) {
    LATCHLAB_CHECK(actor.cpu.flushing_ == nullptr, "one flush at a time");
    actor.cpu.flushing_ = &op;
    return;
  }
  const Time date = end_of_operation(actor, op);
  if (date != kNever)
    timeline_.push(std::max(date, timeline_.now()), actor.index, Gate::local, &op);
}

Time Cpus::work_or_pass(SimActor& actor, Duration length) {
  return actor.cpu.core_ != nullptr ? work(actor, length) : saturating_add(timeline_.now(), length);
}

Time Cpus::end_of_operation(SimActor& actor, SimOperation& op) {
  const NicModel& nic = actor.nic;
  const Time now = timeline_.now();
  switch (op.kind) {
    case OpKind::sleep:
      return clocks_.end_of(actor.node(), op.length);
    case OpKind::compute:
      op.paused_before = paused_total(actor);
      return work_or_pass(actor, op.length);
    case OpKind::on_node: {
      Time& free = of_[actor.node()].visited_until(op.part, now);
      Time date = std::max(free, now) + nic.on_node;
      if (actor.cpu.core_ != nullptr) date = std::max(date, work(actor, nic.on_node));
      return free = date;
    }
    case OpKind::allocate: {
      LATCHLAB_CHECK(nodes_.exists(op.server), "allocation at a node that does not exist");
      const NicModel& there = nodes_.model(op.server);
      op.peer_life = nodes_[op.server].life;
      return now + nic.post + nic.one_way + there.one_way + there.call_service;
    }
    case OpKind::evict:
      return now + nic.post + nic.one_way * 2 + nic.call_service;
    case OpKind::flush:
      op.completion.status = std::exchange(actor.cpu.detached_error_, VerbStatus::ok);
      return now;
    case OpKind::cpu:
      LATCHLAB_CHECK(!nodes_.on_device(op.verb.addr), "CPU access to memory of an RNIC");
      return work_or_pass(actor, memory_.access_time(nic, cache_of(actor), op.verb.addr,
                                                     op.cpu != CpuAccess::load));
    default:  // the synchronised clock: as much as a word that another core has changed (assumed)
      return work_or_pass(actor, nic.cpu_access + nic.line_transfer);
  }
}

void Cpus::local_done(SimOperation& op) {
  SimActor& actor = owner(op);
  const bool alive = op.life == actor.life;
  switch (op.kind) {
    case OpKind::cpu:
      if (alive) memory_.access(op);
      break;
    case OpKind::on_node:
      if (alive) op.visit();
      break;
    case OpKind::compute: {
      const Duration pauses = paused_total(actor) - op.paused_before;
      if (!alive || pauses.ps == 0) break;
      op.paused_before = paused_total(actor);
      return timeline_.push(saturating_add(timeline_.now(), pauses), op.actor, Gate::local, &op);
    }
    case OpKind::allocate:
      if (nodes_.failed_since(op.server, op.peer_life)) {
        op.completion.status = VerbStatus::peer_failed;
      } else {
        op.verb.addr = {op.server, memory_.allocate(op.server, op.allocated_bytes)};
      }
      break;
    case OpKind::evict: {
      SimActor& victim = actors_.client(op.evicted);
      victim.evicted = true;
      record_.note({0xe71c7, victim.index});
      break;
    }
    case OpKind::sync_now:
      op.completion.value.lo = static_cast<std::uint64_t>(clocks_.synchronised_now().ps);
      op.length = clocks_.synchronisation_error();
      break;
    default:
      break;
  }
  finish(op);
}

// ---- the end of an operation ----

void Cpus::finish(SimOperation& op) {
  if (op.detached) return finish_detached(op);
  Operation& batch = *op.batch;
  if (--batch.remaining > 0) return;
  auto& first = static_cast<SimOperation&>(batch);
  SimActor& actor = owner(op);
  if (actor.cpu.core_ == nullptr) return hand_over(actor, first);
  const bool remote = is_remote(op.kind);
  if (!remote && op.holds_core) return go_on_holding(actor, op, first);
  const Duration handling = remote ? actor.nic.completion : Duration{};
  queue({&actor, Gate::batch, &first, timeline_.now()}, handling);
}

void Cpus::finish_detached(SimOperation& op) {
  SimActor& actor = owner(op);
  ActorCpu& cpu = actor.cpu;
  if (!op.completion.ok() && cpu.detached_error_ == VerbStatus::ok)
    cpu.detached_error_ = op.completion.status;
  operations_.recycle(op);
  if (--cpu.detached_ > 0 || cpu.flushing_ == nullptr) return;
  SimOperation& flush = *std::exchange(cpu.flushing_, nullptr);
  flush.completion.status = std::exchange(cpu.detached_error_, VerbStatus::ok);
  finish(flush);
}

// Resumes the coroutine that awaits the batch. If its actor has died, frees the slots instead.
void Cpus::hand_over(SimActor& actor, SimOperation& first) {
  if (first.life == actor.life) return actors_.resume(actor, first.waiter);
  for (Operation* at = &first; at != nullptr;) {
    Operation* following = at->next;
    operations_.recycle(static_cast<SimOperation&>(*at));
    at = following;
  }
}

}  // namespace latchlab::sim
