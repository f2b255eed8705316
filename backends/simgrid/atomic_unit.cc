// The atomic unit of a responder: the window, the slots, and the hold of each atomic.

#include "backends/simgrid/responder.h"

namespace latchlab::sim {

namespace {

constexpr std::uint64_t kSlotBytes = 8;  // address bits from 3 on choose the slot

}  // namespace

Responder::AtomicSlot& Responder::slot_of(Inbound& inbound, RemoteAddr addr) {
  return inbound.slots[addr.offset / kSlotBytes & (inbound.slots.size() - 1)];
}

Responder::AtomicSlot* Responder::second_slot_of(Inbound& inbound, const SimOperation& op) const {
  if (op.verb.bytes != 16 || !is_atomic(op.verb.kind) || nodes_.model(op.qp->to).slots_16 != 2)
    return nullptr;
  AtomicSlot& second = slot_of(inbound, op.verb.addr + kSlotBytes);
  return &second == &slot_of(inbound, op.verb.addr) ? nullptr : &second;
}

// READs do if the NIC's file says so.
bool Responder::uses_slot(const Verb& verb) const {
  if (is_atomic(verb.kind)) return true;
  return slot_reads_ && verb.kind == VerbKind::read &&
         nodes_.model(verb.addr.node).read_hold.ps > 0;
}

Duration Responder::hold_of(const SimOperation& op) const {
  const NicModel& nic = nodes_.model(op.qp->to);
  if (nodes_.on_device(op.verb.addr)) {
    if (op.verb.bytes == 16) return nic.device_hold_16;
    return op.writes ? nic.device_hold_8 : nic.device_hold_8_failed;
  }
  if (op.verb.bytes == 16) return nic.hold_16;
  return op.writes ? nic.hold_8 : nic.hold_8_failed;
}

// ---- admission ----

void Responder::admit(SimOperation& op) {
  Inbound& inbound = inbound_[op.qp->to];
  op.slot_entered = timeline_.now();
  if (inbound.admitted >= inbound.window) return inbound.before_window.push(&op);
  if (++inbound.admitted == inbound.window) inbound.window_full_since = timeline_.now();
  enter_slot(op);
}

void Responder::enter_slot(SimOperation& op) {
  op.second_slot = false;
  take_slot(op, slot_of(inbound_[op.qp->to], op.verb.addr));
}

void Responder::take_slot(SimOperation& op, AtomicSlot& slot) {
  if (slot.busy) return slot.waiting.push(&op);
  slot.busy = true;
  slot_taken(op, slot);
}

// A wide atomic takes the slot of its second word after that of its first. All of them do so in the
// order of addresses, so that they never deadlock.
void Responder::slot_taken(SimOperation& op, AtomicSlot& slot) {
  slot.busy_since = timeline_.now();
  AtomicSlot* second = op.second_slot ? nullptr : second_slot_of(inbound_[op.qp->to], op);
  if (second == nullptr) return begin_hold(op);
  op.second_slot = true;
  take_slot(op, *second);
}

// ---- the hold ----

void Responder::begin_hold(SimOperation& op) {
  op.slot_taken = timeline_.now();
  Duration hold;
  if (op.verb.kind == VerbKind::read) {
    hold = nodes_.model(op.qp->to).read_hold;
  } else {
    memory_.read_atomic(op);
    Inbound& inbound = inbound_[op.qp->to];
    inbound.slot_wait += op.slot_taken - op.slot_entered;
    ++inbound.slot_waits;
    hold = hold_of(op) + memory_.cache_miss(op.verb);
  }
  timeline_.push(timeline_.now() + hold, op.actor, Gate::slot_done, &op);
}

void Responder::slot_done(SimOperation& op) {
  Qp& qp = *op.qp;
  Inbound& inbound = inbound_[qp.to];
  const bool read = op.verb.kind == VerbKind::read;
  const bool dead = nodes_.failed_since(qp.to, op.peer_life);
  const bool lands = !dead && !owner(op).evicted;
  if (lands && read) memory_.move(op);
  if (lands && !read && op.writes) memory_.write_atomic(op);
  if (lands) note_effect(op);
  if (lands) record_.tell_effect_in_slot(op);
  leave_slot(slot_of(inbound, op.verb.addr));
  if (op.second_slot) leave_slot(*second_slot_of(inbound, op));
  if (!read) leave_window(inbound);
  if (lands) {
    transfer_.answer(op, fetch_time(op));
  } else {
    transfer_.fail(op, dead ? VerbStatus::peer_failed : VerbStatus::flushed);
  }
  unstall(qp);
}

// ---- leaving ----

void Responder::leave_slot(AtomicSlot& slot) {
  slot.busy_total += timeline_.now() - slot.busy_since;
  slot.busy = !slot.waiting.empty();
  if (slot.busy) slot_taken(*slot.waiting.pop(), slot);
}

// The first atomic that waits for the window takes the freed place.
void Responder::leave_window(Inbound& inbound) {
  if (!inbound.before_window.empty()) return enter_slot(*inbound.before_window.pop());
  if (inbound.admitted-- == inbound.window)
    inbound.window_full += timeline_.now() - inbound.window_full_since;
}

}  // namespace latchlab::sim
