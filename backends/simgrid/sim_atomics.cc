// The atomic unit of a responder: the window, the slots, and the hold of each atomic.

#include "backends/simgrid/simulator.h"

namespace latchlab::sim {

namespace {

constexpr std::uint64_t kSlotBytes = 8;  // address bits 3.. choose the slot

}  // namespace

AtomicSlot& Simulator::slot_of(Nic& nic, RemoteAddr addr) {
  return nic.slots[addr.offset / kSlotBytes & (nic.slots.size() - 1)];
}

AtomicSlot* Simulator::second_slot_of(Nic& nic, const SimOperation& op) {
  if (nic.model->slots_16 != 2 || op.verb.bytes != 16 || !is_atomic(op.verb.kind)) return nullptr;
  AtomicSlot& second = slot_of(nic, op.verb.addr + kSlotBytes);
  return &second == &slot_of(nic, op.verb.addr) ? nullptr : &second;
}

// READs do where the NIC's file says so.
bool Simulator::uses_slot(const Verb& verb) const {
  if (is_atomic(verb.kind)) return true;
  return slot_reads_ && verb.kind == VerbKind::read && nic_of(verb.addr.node).read_hold.ps > 0;
}

Duration Simulator::hold_of(const NicModel& nic, const SimOperation& op, bool match) const {
  if (op.verb.kind == VerbKind::read) return nic.read_hold;
  if (on_device(op)) {
    if (op.verb.bytes == 16) return nic.device_hold_16;
    return match ? nic.device_hold_8 : nic.device_hold_8_failed;
  }
  if (op.verb.bytes == 16) return nic.hold_16;
  return match ? nic.hold_8 : nic.hold_8_failed;
}

// ---- the way in ----

void Simulator::admit(SimOperation& op) {
  Nic& nic = *node(op.qp->to).nic;
  op.slot_entered = now_;
  if (nic.admitted >= nic.model->window) return nic.before_window.push(&op);
  if (++nic.admitted == nic.model->window) nic.window_full_since = now_;
  enter_slot(op);
}

void Simulator::enter_slot(SimOperation& op) {
  op.second_slot = false;
  take_slot(op, slot_of(*node(op.qp->to).nic, op.verb.addr));
}

void Simulator::take_slot(SimOperation& op, AtomicSlot& slot) {
  if (slot.busy) return slot.waiting.push(&op);
  slot.busy = true;
  slot_taken(op, slot);
}

// A wide atomic takes the slot of its second word after that of its first; as all do so in the
// order of addresses, they never wait for each other.
void Simulator::slot_taken(SimOperation& op, AtomicSlot& slot) {
  slot.busy_since = now_;
  AtomicSlot* second = op.second_slot ? nullptr : second_slot_of(*node(op.qp->to).nic, op);
  if (second == nullptr) return begin_hold(op);
  op.second_slot = true;
  take_slot(op, *second);
}

// ---- the hold ----

void Simulator::begin_hold(SimOperation& op) {
  Node& server = node(op.qp->to);
  if (op.verb.kind == VerbKind::read)
    return push(now_ + server.nic->model->read_hold, op.actor, EventKind::slot_done, &op);
  Words& before = op.completion.value;
  before.lo = server.memory.word(op.verb.addr.offset);
  if (op.verb.bytes == 16) before.hi = server.memory.word(op.verb.addr.offset + 8);
  op.writes = matched(op.verb, before);
  op.after = after_atomic(op.verb, before);
  server.nic->slot_wait += now_ - op.slot_entered;
  ++server.nic->slot_waits;
  Duration hold = hold_of(*server.nic->model, op, op.writes);
  if (caches_) hold += cache_miss(op);
  push(now_ + hold, op.actor, EventKind::slot_done, &op);
}

void Simulator::write_back(SimOperation& op) {
  SparseMemory& memory = node(op.qp->to).memory;
  memory.word(op.verb.addr.offset) = op.after.lo;
  if (op.verb.bytes == 16) memory.word(op.verb.addr.offset + 8) = op.after.hi;
  word_changed(op.qp->to, op.verb.addr.offset);
  if (op.verb.bytes == 16) word_changed(op.qp->to, op.verb.addr.offset + 8);
}

void Simulator::slot_done(SimOperation& op) {
  Node& server = node(op.qp->to);
  Nic& nic = *server.nic;
  const bool read = op.verb.kind == VerbKind::read;
  const bool lands = !cut_off(op) && !server.dead;
  if (lands && read) move_words(op);
  if (lands && !read && op.writes) write_back(op);
  if (lands) note_effect(op);
  leave_slot(slot_of(nic, op.verb.addr));
  if (op.second_slot) leave_slot(*second_slot_of(nic, op));
  if (!read) leave_window(nic);
  Qp& qp = *op.qp;
  if (lands) {
    answer(op, fetch_time(*nic.model, op));
  } else {
    fail_verb(op, server.dead ? VerbStatus::peer_failed : VerbStatus::flushed);
  }
  unstall(qp);
}

// ---- the way out ----

void Simulator::leave_slot(AtomicSlot& slot) {
  slot.busy_total += now_ - slot.busy_since;
  slot.busy = !slot.waiting.empty();
  if (slot.busy) slot_taken(*slot.waiting.pop(), slot);
}

// The first of those before the window takes over the place.
void Simulator::leave_window(Nic& nic) {
  if (!nic.before_window.empty()) return enter_slot(*nic.before_window.pop());
  if (nic.admitted-- == nic.model->window) nic.window_full += now_ - nic.window_full_since;
}

}  // namespace latchlab::sim
