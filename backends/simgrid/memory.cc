#include "backends/simgrid/memory.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/verbs/cpu_access.h"

namespace latchlab::sim {

namespace {

// The bytes of the word at byte `at` of the payload that the verb touches.
std::uint64_t mask_of(const Verb& verb, std::uint32_t at) {
  const std::uint32_t left = verb.bytes - at;
  return left >= 8 ? ~0ULL : (1ULL << (8 * left)) - 1;
}

std::vector<std::uint64_t>& carried_by(SimOperation& op) {
  if (!op.carried) op.carried = std::make_unique<std::vector<std::uint64_t>>();
  return *op.carried;
}

}  // namespace

Memory::Memory(SimContext& context, const WorldPlan& plan)
    : Station(context), of_(nodes_), image_(plan.image) {
  for (const NodePlan& planned : plan.nodes) {
    OfNode& made = of_[planned.id];
    made.planned_bytes = planned.bytes;
    made.words = fresh(planned.id);
    const NicModel& model = nodes_.model(planned.id);
    if (model.host_cache_bytes <= 0 || model.host_cache_miss.ps <= 0) continue;
    made.cache = TagCache(static_cast<std::uint64_t>(model.host_cache_bytes));
    made.miss = model.host_cache_miss;
    caches_ = true;
  }
}

SparseMemory Memory::fresh(NodeId node) const {
  SparseMemory::Fill fill;
  if (image_)
    fill = [this, node](std::uint64_t offset, std::span<std::uint64_t> page) {
      image_(node, offset, page);
    };
  return {of_[node].planned_bytes, std::move(fill)};
}

void Memory::lose(NodeId node) {
  of_[node].words = fresh(node);
  of_[node].lines = {};
}

Duration Memory::touch(RemoteAddr addr, std::uint64_t bytes) {
  OfNode& host = of_[addr.node];
  const bool hit = host.miss.ps == 0 || host.cache.touch(addr.offset, bytes);
  return hit ? Duration{} : host.miss;
}

void Memory::tell_watchers(RemoteAddr word) {
  Watchers* const watchers = of_[word.node].watched.find(word.offset);
  if (watchers != nullptr && !watchers->empty()) timeline_.pass(Gate::changed, watchers);
}

// ---- one-sided verbs ----

bool Memory::allows(const SimOperation& op) const {
  const Verb& verb = op.verb;
  const bool atomic = is_atomic(verb.kind);
  const bool wide = atomic && verb.bytes == 16;
  if (verb.addr.offset % (wide ? 16 : 8) != 0 || !width_allowed(verb)) return false;
  if (!of_[verb.addr.node].words.contains(verb.addr.offset, verb.bytes)) return false;
  return atomic || !uses_local(verb) || allows_local(op);
}

bool Memory::allows_local(const SimOperation& op) const {
  const RemoteAddr local = op.verb.local;
  return local.node == op.from && local.offset % 8 == 0 &&
         of_[op.from].words.contains(local.offset, op.verb.bytes);
}

void Memory::pick_up(SimOperation& op) {
  if (!allows_local(op)) return;  // the responder will refuse it
  SparseMemory& memory = of_[op.from].words;
  std::vector<std::uint64_t>& carried = carried_by(op);
  for (std::uint32_t at = 0; at < op.verb.bytes; at += 8)
    carried.push_back(memory.word(op.verb.local.offset + at));
}

void Memory::move(SimOperation& op) {
  const Verb& verb = op.verb;
  SparseMemory& memory = of_[verb.addr.node].words;
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
    changed_from_outside(verb.addr + at);
  }
}

void Memory::put_down(SimOperation& op) {
  const Verb& verb = op.verb;
  if (!uses_local(verb)) {
    op.words = op.carried->data();
    return;
  }
  for (std::uint32_t at = 0; at < verb.bytes; at += 8) {
    const std::uint64_t mask = mask_of(verb, at);
    std::uint64_t& there = word(verb.local + at);
    there = (there & ~mask) | ((*op.carried)[at / 8] & mask);
    changed_from_outside(verb.local + at);
  }
}

void Memory::read_atomic(SimOperation& op) {
  SparseMemory& memory = of_[op.verb.addr.node].words;
  Words& before = op.completion.value;
  before.lo = memory.word(op.verb.addr.offset);
  if (op.verb.bytes == 16) before.hi = memory.word(op.verb.addr.offset + 8);
  op.writes = matched(op.verb, before);
  op.after = after_atomic(op.verb, before);
}

void Memory::write_atomic(const SimOperation& op) {
  SparseMemory& memory = of_[op.verb.addr.node].words;
  const bool wide = op.verb.bytes == 16;
  memory.word(op.verb.addr.offset) = op.after.lo;
  if (wide) memory.word(op.verb.addr.offset + 8) = op.after.hi;
  changed_from_outside(op.verb.addr);
  if (wide) changed_from_outside(op.verb.addr + 8);
}

// ---- CPUs ----

Duration Memory::access_time(const NicModel& nic, std::uint32_t cache, RemoteAddr word,
                             bool writes) {
  CpuLine& line = line_of(word);
  const std::uint64_t mine = bit_of(cache);
  const bool held = writes ? line.holders == mine : (line.holders & mine) != 0;
  line.holders = writes ? mine : line.holders | mine;
  if (!held) line.free = std::max(line.free, timeline_.now()) + nic.line_transfer;
  // Another thread of the core may still wait for the line.
  return std::max(line.free - timeline_.now(), Duration{}) + nic.cpu_access;
}

void Memory::access(SimOperation& op) {
  const RemoteAddr addr = op.verb.addr;
  if (caches_) touch(addr, sizeof(std::uint64_t));
  std::uint64_t& there = word(addr);
  const std::uint64_t before = there;
  there = after_access(op.cpu, op.verb, before);
  op.completion.value.lo = before;
  record_.note(
      {op.actor, 0x100 + static_cast<std::uint64_t>(op.cpu), addr.packed(), before, there});
  if (op.cpu != CpuAccess::load) record_.count_effect(op);
  record_.tell_effect(op);
  if (there != before) changed(addr);
}

}  // namespace latchlab::sim
