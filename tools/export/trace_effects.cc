#include "tools/export/trace_effects.h"

#include <fmt/core.h>

#include <vector>

#include "core/protocols/common/masks.h"
#include "tools/export/trace_text.h"

namespace latchlab::exporting {

namespace {

// Larger entries, such as a tree of megabytes, are not decoded at each verb: too long to read.
constexpr std::uint64_t kMostEntryBytes = 4096;

bool reads(const Operation& op) {
  if (op.kind == OpKind::verb) return op.verb.kind == VerbKind::read;
  return op.cpu == CpuAccess::load;
}

}  // namespace

bool EffectText::tells(const Operation& op) const {
  if (op.kind == OpKind::verb) return true;
  return !reads(op) && places_.of(op.verb.addr).kind == AddressOwner::Kind::entry;
}

Args EffectText::dates(const Effect& effect, Time now) {
  Args args;
  if (effect.began != kNever)
    args.date("queued_us", effect.queued)
        .date("waited_us", Time{(effect.began - effect.queued).ps})
        .date("slot_us", effect.began);
  args.date("effect_us", now);
  return args;
}

Args EffectText::outcome(const Operation& op) const {
  const AddressOwner place = places_.of(op.verb.addr);
  Args args;
  args.text("place", name_of(place));
  if (place.kind == AddressOwner::Kind::entry) args.number("byte", place.byte);
  if (!reads(op)) {
    Words after{memory_.peek(op.verb.addr), 0};
    const std::uint32_t bytes = op.kind == OpKind::cpu ? 8 : op.verb.bytes;
    if (bytes == 16) after.hi = memory_.peek(op.verb.addr + 8);
    add_words(args, "after", after, bytes);
  }
  if (place.kind == AddressOwner::Kind::entry) add_entries(args, op, place);
  return args;
}

// If a word holds parts of several locks, adds only the entries that the effect changed, as far as
// the old value is known.
void EffectText::add_entries(Args& args, const Operation& op, const AddressOwner& place) const {
  if (world_.entry_bytes() > kMostEntryBytes) return;
  const bool parts = place.locks.size() > 1;
  const bool blind = op.kind == OpKind::verb && op.verb.kind == VerbKind::write;
  const std::uint64_t changed = blind ? ~0ULL : memory_.peek(op.verb.addr) ^ op.completion.value.lo;
  std::string text;
  for (const LockId lock : place.locks) {
    const PartOfWord part(world_.lock(lock).entry);
    const auto bits = static_cast<unsigned>(8 * world_.entry_bytes());
    if (parts && field_of(changed, part.shift, bits) == 0) continue;
    if (!text.empty()) text += "; ";
    if (parts) text += fmt::format("lock {}: ", lock.value);
    text += world_.protocol().decode(world_.entry(lock, memory_));
  }
  if (!parts) args.number("lock", place.locks.front().value);
  if (!text.empty()) args.said("entry", text);
}

}  // namespace latchlab::exporting
