#pragma once
// One verb as data: the operands of a remote memory access, and its result. Aggregates with trivial
// destructors, copied by value; backends keep them in their own slots while they are in flight.

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/zero_padding.h"

namespace latchlab {

// Up to 16 bytes: `lo` is the aligned 8-byte word at the lower address.
struct Words {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  constexpr bool operator==(const Words&) const = default;
};
inline constexpr Words kAllOnes{~0ULL, ~0ULL};

enum class VerbKind : std::uint8_t {
  read,        // up to 16 KiB, or any length into registered local memory
  write,       // up to 16 bytes by value, or any length from registered local memory
  cas,         // 8 bytes
  faa,         // 8 bytes
  masked_cas,  // 8 or 16 bytes
  masked_faa,  // 8 or 16 bytes
};

constexpr bool is_atomic(VerbKind kind) {
  return kind >= VerbKind::cas;
}

// A whole word, so that a Completion and a Reply have no padding.
enum class VerbStatus : std::uint64_t {
  ok,
  receiver_not_ready,  // the target endpoint had no RECV, and the retries are used up
  // No acknowledgement: the target's node or process has failed, or the path to it is cut. The verb
  // may have taken effect.
  peer_failed,
  access_error,  // address outside registered memory, misaligned, or wrong width
  flushed,       // an earlier error of the same QP aborted this verb
  timed_out,     // no reply by a call's deadline; the server may still execute it
};

struct Verb {
  VerbKind kind = VerbKind::read;
  bool fenced = false;  // starts only after all earlier READs and atomics of its QP have returned
  ZeroPadding<std::uint8_t, 2> padding = {};
  std::uint32_t bytes = 8;
  RemoteAddr addr;   // aligned to 8; a 16-byte atomic is aligned to 16
  RemoteAddr local;  // registered local memory for READs and WRITEs longer than 16 bytes
  Words value;       // WRITE: data; CAS: swap; FAA: addend
  Words compare;     // CAS: expected value
  Words compare_mask = kAllOnes;  // masked CAS: bits that are compared
  Words swap_mask = kAllOnes;     // masked CAS: bits that are written on a match
  Words boundary;  // masked FAA: top bit of each field; no carry leaves it (nor bit 63)
};
static_assert(std::has_unique_object_representations_v<Verb>);

// A READ into or a WRITE from registered memory, of any length.
constexpr bool uses_local(const Verb& verb) {
  return verb.local.node != kNoNode;
}

inline constexpr std::uint32_t kByValueBytes = 16;
inline constexpr std::uint32_t kMaxReadBytes = 16 * 1024;  // without local memory

// A READ whose data lands in a buffer of its slot.
constexpr bool reads_words(const Verb& verb) {
  return verb.kind == VerbKind::read && verb.bytes > kByValueBytes && !uses_local(verb);
}

// True if a verb of this kind, with or without local memory, may have this length.
constexpr bool width_allowed(const Verb& verb) {
  switch (verb.kind) {
    case VerbKind::read:
      return verb.bytes > 0 && (uses_local(verb) || verb.bytes <= kMaxReadBytes);
    case VerbKind::write:
      return verb.bytes > 0 && (uses_local(verb) || verb.bytes <= kByValueBytes);
    case VerbKind::cas:
    case VerbKind::faa:
      return verb.bytes == 8;
    case VerbKind::masked_cas:
    case VerbKind::masked_faa:
      return verb.bytes == 8 || verb.bytes == 16;
  }
  return false;
}

struct Completion {
  VerbStatus status = VerbStatus::ok;
  Words value;  // READ: the first 16 bytes; atomics: the memory's value before

  bool ok() const { return status == VerbStatus::ok; }
};
static_assert(std::has_unique_object_representations_v<Completion>);

// True if this atomic's comparison matched: always for FAA and for an empty compare mask.
constexpr bool matched(const Verb& verb, const Words& before) {
  if (verb.kind == VerbKind::cas) return before.lo == verb.compare.lo;
  if (verb.kind != VerbKind::masked_cas) return true;
  const bool low = ((before.lo ^ verb.compare.lo) & verb.compare_mask.lo) == 0;
  const bool high = ((before.hi ^ verb.compare.hi) & verb.compare_mask.hi) == 0;
  return low && (verb.bytes == 8 || high);
}

// Adds field by field: bits of `boundary` mark each field's most significant bit.
constexpr std::uint64_t add_in_fields(std::uint64_t before, std::uint64_t add,
                                      std::uint64_t boundary) {
  // Top bits are added without carry; everything below adds normally and cannot leave its field.
  const std::uint64_t low = (before & ~boundary) + (add & ~boundary);
  return low ^ ((before ^ add) & boundary);
}

// What the memory holds after the atomic, given what it held before.
constexpr Words after_atomic(const Verb& verb, const Words& before) {
  switch (verb.kind) {
    case VerbKind::cas:
      return matched(verb, before) ? Words{verb.value.lo, before.hi} : before;
    case VerbKind::faa:
      return {before.lo + verb.value.lo, before.hi};
    case VerbKind::masked_cas:
      if (!matched(verb, before)) return before;
      return {(before.lo & ~verb.swap_mask.lo) | (verb.value.lo & verb.swap_mask.lo),
              (before.hi & ~verb.swap_mask.hi) | (verb.value.hi & verb.swap_mask.hi)};
    case VerbKind::masked_faa:
      return {add_in_fields(before.lo, verb.value.lo, verb.boundary.lo),
              add_in_fields(before.hi, verb.value.hi, verb.boundary.hi)};
    case VerbKind::read:
    case VerbKind::write:
      break;
  }
  return before;
}

}  // namespace latchlab
