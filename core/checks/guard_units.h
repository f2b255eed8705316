#pragma once
// Guard words of single units, for grants of a part of an object: which units of an extent are
// guarded, where the word of a unit is, and what it says.
//
// A lock has some slots, and each unit has one of them, which it shares with others. A slot's word
// says of which unit it speaks, in full, and how many are inside in each mode: whoever finds it in
// use by another unit goes without. So a word never speaks of two units at once, and what is found
// in it is about the very unit: nothing is taken for a conflict that is none. In return, a unit
// whose slot is in use by another is not guarded that time.
//
// Of an extent at most kGuardedUnits units are guarded: those whose number, plus an offset that the
// lock has, divides by 2^n, for the least n that leaves so few. Since all clients mark multiples of
// the same steps, two extents that overlap have a marked unit in common wherever the overlap holds
// a multiple of the longer one's step. It always does when it is as long as that step, which is
// less than half of the longer extent; of a shorter overlap, it does so with a probability of its
// length over the step. Extents of up to kGuardedUnits units are marked without gaps.

#include <array>
#include <cstdint>
#include <optional>

#include "core/base/ids.h"
#include "core/checks/guard_findings.h"
#include "core/protocols/lock.h"

namespace latchlab {

inline constexpr std::uint32_t kGuardedUnits = 4;
// Extents with units from here on are not guarded: a word has no room for their numbers.
inline constexpr std::uint64_t kGuardedUnitsEnd = std::uint64_t{1} << 44U;

struct GuardedUnits {
  std::array<std::uint64_t, kGuardedUnits> units = {};
  std::uint32_t count = 0;
};
// Of a valid extent that is not the whole and ends before kGuardedUnitsEnd; ascending.
GuardedUnits guarded_units(const Extent& extent, std::uint64_t offset);

// How many slots each of so many locks gets: a power of two, 4096 at most, and no more than some
// 32 MiB altogether unless that would be fewer than 64 for each.
std::uint32_t guard_slots(std::uint64_t locks);

// From 0.
std::uint64_t guard_slot(std::uint64_t unit, std::uint32_t slots);

// What a client in this mode adds to a word that speaks of its unit.
std::uint64_t unit_amount(LockMode mode);
// The word as it was, with a client in this mode added; none: it speaks of another unit, or can
// count no more.
std::optional<std::uint64_t> with_one_more(std::uint64_t word, std::uint64_t unit, LockMode mode);
// Who is inside the unit, in the counts of a lock's word (guard_findings.h). 0: nobody, or the word
// speaks of another unit.
std::uint64_t inside_unit(std::uint64_t word, std::uint64_t unit);

}  // namespace latchlab
