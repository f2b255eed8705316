#pragma once
// Guard words of single units, for grants of a part of an object: which units of an extent are
// guarded, where the word of a unit is, and what it contains.
//
// A lock has a number of slots. Each unit maps to one of them, and several units share a slot. A
// slot's word holds the number of the unit that uses it, in full, and the number of holders in each
// mode. A client that finds a slot in use by another unit does not count its unit. So a word never
// describes two units at once, and there are no false conflicts. In return, a unit whose slot is in
// use by another unit is not guarded that time.
//
// At most kGuardedUnits units of an extent are guarded: those whose number, plus the lock's offset,
// is a multiple of 2^n, for the smallest n that leaves so few. All clients mark multiples of the
// same steps, so two overlapping extents have a marked unit in common if the overlap contains a
// multiple of the longer extent's step. It always does when the overlap is at least as long as that
// step, which is less than half of the longer extent. A shorter overlap does so with a probability
// of its length over the step. Extents of up to kGuardedUnits units are marked without gaps.

#include <array>
#include <cstdint>
#include <optional>

#include "core/base/ids.h"
#include "core/checks/guard_findings.h"
#include "core/protocols/lock.h"

namespace latchlab {

inline constexpr std::uint32_t kGuardedUnits = 4;
// Extents with units from here on are not guarded, because a word has no room for their numbers.
inline constexpr std::uint64_t kGuardedUnitsEnd = std::uint64_t{1} << 44U;

struct GuardedUnits {
  std::array<std::uint64_t, kGuardedUnits> units = {};
  std::uint32_t count = 0;
};
// For a valid extent that is not the whole object and ends before kGuardedUnitsEnd; ascending.
GuardedUnits guarded_units(const Extent& extent, std::uint64_t offset);

// The number of slots of each lock: a power of two, at most 4096. All slots together take at most
// about 32 MiB, unless that would leave fewer than 64 for each lock.
std::uint32_t guard_slots(std::uint64_t locks);

// The slot of a unit, counted from 0.
std::uint64_t guard_slot(std::uint64_t unit, std::uint32_t slots);

// What a client in this mode adds to its unit's word.
std::uint64_t unit_amount(LockMode mode);
// The word with one more client in this mode. None: the word is in use by another unit, or its
// count is full.
std::optional<std::uint64_t> with_one_more(std::uint64_t word, std::uint64_t unit, LockMode mode);
// The holders of the unit, as counts in the format of a lock's word (guard_findings.h). 0: no
// holder, or the word is in use by another unit.
std::uint64_t inside_unit(std::uint64_t word, std::uint64_t unit);

}  // namespace latchlab
