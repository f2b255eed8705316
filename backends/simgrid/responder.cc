#include "backends/simgrid/responder.h"

#include <algorithm>

namespace latchlab::sim {

namespace {

// The bytes that the request or, for a READ, the reply carries.
std::uint32_t payload(const SimOperation& op) {
  return op.kind == OpKind::verb ? op.verb.bytes : std::uint32_t{sizeof(Message)};
}

}  // namespace

Responder::Responder(SimContext& context, Memory& memory, Network& network, Transfer& transfer)
    : Station(context), memory_(memory), network_(network), transfer_(transfer), inbound_(nodes_) {
  for (const SimNode& node : nodes_.all()) {
    const NicModel& model = node.nic->model;
    Inbound& made = inbound_[node.id];
    made.slots.resize(static_cast<std::size_t>(model.slots));
    made.window = model.window;
    made.pcie_per_verb = model.pcie_per_verb;
    if (model.pcie_bits_per_s > 0)
      made.pcie_femtoseconds_per_byte = femtoseconds_per_byte(model.pcie_bits_per_s);
    slot_reads_ = slot_reads_ || model.read_hold.ps > 0;
    pcie_ = pcie_ || model.pcie_bits_per_s > 0 || model.pcie_per_verb.ps > 0;
  }
}

// ---- arrival ----

void Responder::arrive(SimOperation& op) {
  if (op.kind != OpKind::verb) return enter_pipeline(op, timeline_.now());
  QpReceiver& qp = op.qp->receiver;
  if (qp.stalled_ || !qp.behind_.empty()) return qp.behind_.push(&op);
  execute(op, timeline_.now());
}

// Called in the order of the QP. A dead node has no pipeline either.
void Responder::execute(SimOperation& op, Time alone) {
  if (nodes_.failed_since(op.qp->to, op.peer_life)) return transfer_.fail(op, refusal(op));
  if (uses_slot(op.verb)) op.qp->receiver.stalled_ = true;
  enter_pipeline(op, alone);
}

// Executes the verbs that arrived on the QP behind an atomic (or a READ in a slot), up to the next
// such verb.
void Responder::unstall(Qp& qp) {
  QpReceiver& here = qp.receiver;
  here.stalled_ = false;
  while (!here.stalled_ && !here.behind_.empty()) {
    SimOperation& next = *here.behind_.pop();
    execute(next, timeline_.now() + nodes_.serve_time(next));
  }
}

// ---- the pipeline ----

// Verbs go through the pipeline in the order of `alone`, the date at which each would leave it if
// it were alone. Most verbs of a server that is not saturated leave at that date, without an event
// of their own.
void Responder::enter_pipeline(SimOperation& op, Time alone) {
  const NodeId to = responder_of(op);
  Inbound& inbound = inbound_[to];
  ++inbound.verbs;
  const Time through = nodes_.nic(to).inbound.pass(alone, nodes_.serve_time(op));
  const Time leaves = pcie_ ? cross_pcie(inbound, op, to, through) : through;
  if (leaves == timeline_.now()) return served(op);
  timeline_.push(leaves, op.actor, Gate::served, &op);
}

// When a verb that leaves the pipeline at `date` has crossed PCIe to host memory. Crossings wait
// for each other. The time of a single crossing is part of the NIC's latencies, except for a long
// payload in loopback, which has no wire: its bytes take time here. Loopback occupies the bus
// twice, because the request was fetched from the same host.
Time Responder::cross_pcie(Inbound& inbound, const SimOperation& op, NodeId to, Time date) {
  if (op.kind == OpKind::verb && nodes_.on_device(op.verb.addr)) return date;
  const std::uint32_t bytes = payload(op);
  const bool loopback = nodes_.loops_back(op.from, to);
  const Duration moved{inbound.pcie_femtoseconds_per_byte * bytes / 1000};
  const Duration busy = inbound.pcie_per_verb + moved;
  const Time begins = std::max(inbound.pcie_free, date);
  inbound.pcie_free = begins + busy * (loopback ? 2 : 1);
  return loopback && bytes > kSmallBytes ? begins + moved : begins;
}

void Responder::served(SimOperation& op) {
  if (op.kind != OpKind::verb) return timeline_.pass(Gate::received, &op);
  const VerbStatus status = refusal(op);
  if (status != VerbStatus::ok) {
    transfer_.fail(op, status);
    if (uses_slot(op.verb)) unstall(*op.qp);
    return;
  }
  if (is_atomic(op.verb.kind)) return admit(op);
  if (uses_slot(op.verb)) {
    op.slot_entered = timeline_.now();
    return enter_slot(op);
  }
  memory_.move(op);
  note_effect(op);
  record_.tell_effect(op);
  transfer_.answer(op, fetch_time(op));
}

// Why the verb is not executed; ok: it is executed.
VerbStatus Responder::refusal(const SimOperation& op) const {
  if (owner(op).evicted || op.qp->refuses(op)) return VerbStatus::flushed;
  if (nodes_.failed_since(op.qp->to, op.peer_life)) return VerbStatus::peer_failed;
  return memory_.allows(op) ? VerbStatus::ok : VerbStatus::access_error;
}

void Responder::note_effect(SimOperation& op) {
  const Verb& verb = op.verb;
  record_.count_effect(op);
  record_.note({op.actor, static_cast<std::uint64_t>(verb.kind) | (std::uint64_t{verb.bytes} << 8),
                verb.addr.packed(), verb.value.lo, verb.value.hi, op.completion.value.lo,
                op.completion.value.hi});
}

// From the pipeline until a READ's data is fetched or a WRITE's is placed; from the slot until a
// wide atomic is answered. Occupies nothing.
Duration Responder::fetch_time(SimOperation& op) {
  const NicModel& nic = nodes_.model(op.qp->to);
  if (is_atomic(op.verb.kind)) return op.verb.bytes == 16 ? nic.atomic_16 : Duration{};
  const bool read = op.verb.kind == VerbKind::read;
  if (nodes_.on_device(op.verb.addr)) return read ? nic.device_read : nic.device_write;
  return (read ? nic.read : nic.write) + memory_.cache_miss(op.verb);
}

// ---- statistics ----

void Responder::reset_stats() {
  const Time now = timeline_.now();
  for (const SimNode& node : nodes_.all()) node.nic->inbound.reset_stats(now);
  for (Inbound& each : inbound_) {
    each.verbs = 0;
    each.window_full = each.slot_wait = Duration{};
    each.slot_waits = 0;
    if (each.admitted == each.window) each.window_full_since = now;
    for (AtomicSlot& slot : each.slots) {
      slot.busy_total = Duration{};
      slot.busy_since = now;
    }
  }
}

NicStats Responder::busiest_server() const {
  const SimNode* server = nullptr;
  for (const SimNode& node : nodes_.all())
    if (node.hosts_locks &&
        (server == nullptr || inbound_[node.id].verbs > inbound_[server->id].verbs))
      server = &node;
  if (server == nullptr) return {};
  const Inbound* const busiest = &inbound_[server->id];
  const Time now = timeline_.now();
  NicStats stats;
  stats.measured = true;
  stats.verbs = busiest->verbs;
  stats.pipeline_busy = server->nic->inbound.busy(now);
  stats.link_busy = network_.link_busy(server->id);
  stats.window_full = busiest->window_full;
  if (busiest->admitted == busiest->window) stats.window_full += now - busiest->window_full_since;
  stats.slot_wait_total = busiest->slot_wait;
  stats.slot_waits = busiest->slot_waits;
  for (const AtomicSlot& slot : busiest->slots) {
    const Duration held = slot.busy ? now - slot.busy_since : Duration{};
    stats.hottest_slot_busy = std::max(stats.hottest_slot_busy, slot.busy_total + held);
  }
  return stats;
}

}  // namespace latchlab::sim
