// The atomic unit of a responder: the window, the slots, and the hold of each atomic.

#include "backends/simgrid/simulator.h"

namespace latchlab::sim {

namespace {

constexpr std::uint64_t kSlotBytes = 8;  // address bits 3.. choose the slot

}  // namespace

AtomicSlot& Simulator::slot_of(Nic& nic, RemoteAddr addr) {
  return nic.slots[addr.offset / kSlotBytes & (nic.slots.size() - 1)];
}

Duration Simulator::hold_of(const SimOperation& op, bool match) const {
  if (op.verb.bytes == 16) return nic_.hold_16;
  return match ? nic_.hold_8 : nic_.hold_8_failed;
}

void Simulator::admit(SimOperation& op) {
  Nic& nic = node(op.qp->to).nic;
  op.slot_entered = now_;
  if (nic.admitted >= nic_.window) return nic.before_window.push(&op);
  if (++nic.admitted == nic_.window) nic.window_full_since = now_;
  enter_slot(op);
}

void Simulator::enter_slot(SimOperation& op) {
  AtomicSlot& slot = slot_of(node(op.qp->to).nic, op.verb.addr);
  if (slot.busy) return slot.waiting.push(&op);
  slot.busy = true;
  begin_hold(op);
}

void Simulator::begin_hold(SimOperation& op) {
  Node& server = node(op.qp->to);
  Words& before = op.completion.value;
  before.lo = server.memory.word(op.verb.addr.offset);
  if (op.verb.bytes == 16) before.hi = server.memory.word(op.verb.addr.offset + 8);
  const bool match = matched(op.verb, before);
  op.after = after_atomic(op.verb, before);
  op.writes = match;
  const Duration hold = hold_of(op, match);
  server.nic.slot_wait += now_ - op.slot_entered;
  ++server.nic.slot_waits;
  slot_of(server.nic, op.verb.addr).busy_since = now_;
  push(now_ + hold, op.actor, EventKind::slot_done, &op);
}

void Simulator::slot_done(SimOperation& op) {
  Node& server = node(op.qp->to);
  Nic& nic = server.nic;
  const bool lands = !cut_off(op) && !server.dead;
  if (lands && op.writes) {
    server.memory.word(op.verb.addr.offset) = op.after.lo;
    if (op.verb.bytes == 16) server.memory.word(op.verb.addr.offset + 8) = op.after.hi;
    word_changed(op.qp->to, op.verb.addr.offset);
    if (op.verb.bytes == 16) word_changed(op.qp->to, op.verb.addr.offset + 8);
  }
  if (lands) note_effect(op);
  AtomicSlot& slot = slot_of(nic, op.verb.addr);
  slot.busy_total += now_ - slot.busy_since;
  slot.busy = !slot.waiting.empty();
  if (slot.busy) begin_hold(*slot.waiting.pop());
  if (nic.before_window.empty()) {
    if (nic.admitted-- == nic_.window) nic.window_full += now_ - nic.window_full_since;
  } else {
    enter_slot(*nic.before_window.pop());  // takes over the place
  }
  Qp& qp = *op.qp;
  if (lands) {
    answer(op, {});
  } else {
    fail_verb(op, server.dead ? VerbStatus::peer_failed : VerbStatus::flushed);
  }
  unstall(qp);
}

}  // namespace latchlab::sim
