// The memory that a verb reads and writes: what it may touch, and how its words move.

#include "backends/simgrid/simulator.h"

namespace latchlab::sim {

namespace {

// Which bytes of its word at byte `at` the verb touches.
std::uint64_t mask_of(const Verb& verb, std::uint32_t at) {
  const std::uint32_t left = verb.bytes - at;
  return left >= 8 ? ~0ULL : (1ULL << (8 * left)) - 1;
}

std::vector<std::uint64_t>& carried_by(SimOperation& op) {
  if (!op.carried) op.carried = std::make_unique<std::vector<std::uint64_t>>();
  return *op.carried;
}

}  // namespace

bool Simulator::valid(const SimOperation& op) const {
  const Verb& verb = op.verb;
  const bool atomic = is_atomic(verb.kind);
  const bool wide = atomic && verb.bytes == 16;
  if (verb.addr.offset % (wide ? 16 : 8) != 0 || !width_allowed(verb)) return false;
  if (!node(verb.addr.node).memory.contains(verb.addr.offset, verb.bytes)) return false;
  return atomic || !uses_local(verb) || local_valid(op);
}

bool Simulator::local_valid(const SimOperation& op) const {
  const RemoteAddr local = op.verb.local;
  return local.node == op.from && local.offset % 8 == 0 &&
         node(op.from).memory.contains(local.offset, op.verb.bytes);
}

// Why the responder does not execute the verb; ok: it does.
VerbStatus Simulator::refusal(const SimOperation& op) const {
  const Qp& qp = *op.qp;
  if (cut_off(op) || qp.broken || op.epoch != qp.epoch) return VerbStatus::flushed;
  if (node(qp.to).dead) return VerbStatus::peer_failed;
  return valid(op) ? VerbStatus::ok : VerbStatus::access_error;
}

// What a WRITE takes along when it leaves.
void Simulator::pick_up_words(SimOperation& op) {
  if (!local_valid(op)) return;  // the responder will refuse it
  SparseMemory& memory = node(op.from).memory;
  std::vector<std::uint64_t>& carried = carried_by(op);
  for (std::uint32_t at = 0; at < op.verb.bytes; at += 8)
    carried.push_back(memory.word(op.verb.local.offset + at));
}

void Simulator::move_words(SimOperation& op) {
  SparseMemory& memory = node(op.qp->to).memory;
  const Verb& verb = op.verb;
  Words& result = op.completion.value;
  for (std::uint32_t at = 0; at < verb.bytes; at += 8) {
    std::uint64_t& word = memory.word(verb.addr.offset + at);
    const std::uint64_t mask = mask_of(verb, at);
    if (verb.kind == VerbKind::read) {
      if (at < kByValueBytes) (at == 0 ? result.lo : result.hi) = word & mask;
      if (carries_words(verb)) carried_by(op).push_back(word & mask);
      continue;
    }
    const std::uint64_t fresh =
        uses_local(verb) ? (*op.carried)[at / 8] : (at == 0 ? verb.value.lo : verb.value.hi);
    word = (word & ~mask) | (fresh & mask);
    word_changed(op.qp->to, verb.addr.offset + at);
  }
}

// What a READ has brought back.
void Simulator::put_down_words(SimOperation& op) {
  if (!uses_local(op.verb)) {
    op.words = op.carried->data();
    return;
  }
  SparseMemory& memory = node(op.from).memory;
  for (std::uint32_t at = 0; at < op.verb.bytes; at += 8) {
    const std::uint64_t mask = mask_of(op.verb, at);
    std::uint64_t& word = memory.word(op.verb.local.offset + at);
    word = (word & ~mask) | ((*op.carried)[at / 8] & mask);
    word_changed(op.from, op.verb.local.offset + at);
  }
}

}  // namespace latchlab::sim
