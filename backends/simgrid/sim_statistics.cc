// What is seen of the world from outside: memory, and how busy its RNICs are.

#include <algorithm>

#include "backends/simgrid/simulator.h"

namespace latchlab::sim {

namespace {

// What the cores have been given to do and not done yet.
Duration still_to_do(const CoreQueue& cpu, Time now) {
  Duration left;
  for (const Core& core : cpu.cores)
    if (core.free > now && core.free != kNever) left += core.free - now;
  return left;
}

}  // namespace

std::uint64_t Simulator::peek(RemoteAddr word) {
  return node(word.node).memory.word(word.offset);
}
void Simulator::poke(RemoteAddr word, std::uint64_t value) {
  node(word.node).memory.word(word.offset) = value;
}

void Simulator::reset_stats() {
  for (Node& each : nodes_) {
    if (each.server_cores) {
      CoreQueue& cpu = *each.server_cores;
      cpu.busy = still_to_do(cpu, now_);
      cpu.queued = {};
      cpu.starts = 0;
    }
  }
  for (Nic& nic : nics_) {
    nic.verbs = 0;
    nic.link_busy = nic.window_full = nic.slot_wait = Duration{};
    nic.pipeline_busy = std::max(nic.pipeline_free, now_) - now_;
    nic.slot_waits = 0;
    if (nic.admitted == nic.model->window) nic.window_full_since = now_;
    for (AtomicSlot& slot : nic.slots) {
      slot.busy_total = Duration{};
      slot.busy_since = now_;
    }
  }
}

CpuStats Simulator::busiest_cpu() const {
  CpuStats stats;
  for (const Node& each : nodes_) {
    if (!each.server_cores) continue;
    const CoreQueue& cpu = *each.server_cores;
    const Duration busy = cpu.busy - still_to_do(cpu, now_);
    if (stats.cores > 0 && busy <= stats.busy) continue;
    stats = {cpu.cores.size(), busy, cpu.queued, cpu.starts};
  }
  return stats;
}

std::size_t Simulator::slots_in_use() const {
  return operations_.in_use() + waits_.in_use() + sleeps_.in_use();
}

NicStats Simulator::busiest_server() const {
  const Nic* busiest = nullptr;
  for (const Node& each : nodes_)
    if (each.hosts_locks && (busiest == nullptr || each.nic->verbs > busiest->verbs))
      busiest = each.nic;
  if (busiest == nullptr) return {};
  NicStats stats;
  stats.measured = true;
  stats.verbs = busiest->verbs;
  stats.pipeline_busy = busiest->pipeline_busy - (std::max(busiest->pipeline_free, now_) - now_);
  stats.link_busy = busiest->link_busy;
  stats.window_full = busiest->window_full;
  if (busiest->admitted == busiest->model->window)
    stats.window_full += now_ - busiest->window_full_since;
  stats.slot_wait_total = busiest->slot_wait;
  stats.slot_waits = busiest->slot_waits;
  for (const AtomicSlot& slot : busiest->slots) {
    const Duration held = slot.busy ? now_ - slot.busy_since : Duration{};
    stats.hottest_slot_busy = std::max(stats.hottest_slot_busy, slot.busy_total + held);
  }
  return stats;
}

}  // namespace latchlab::sim
