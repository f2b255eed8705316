#pragma once
// ShiftLock's lock entry (3.7, Figure 3): its fields, and every verb on it.
//
//   word | bits   | field    | meaning                         | written by
//   0    | 0      | Epoch    | flips when readers are granted  | the writer's release: ExtFAA or
//        |        |          | the lock                        | ExtCAS
//   0    | 1..23  | RdrCnt   | readers that hold or wait       | readers: +1 and -1 by ExtFAA
//        |        |          |                                 | (withdrawal: -1 by ExtCAS)
//   0    | 24..39 | NodeId   | tail of the queue of writers;   | a joining writer swaps (ExtCAS),
//   0    | 40..63 | DctQpNum | 0: empty                        | the last one's release zeroes
//   1    | lower  | RelCnt   | releases so far                 | releases: +1 by ExtFAA or ExtCAS
//   1    | top    | RelCnt   | recoveries so far, in           | the reset only
//        |        |          | `recovery_bits` (printed: 1)    |
// A reset (ExtCAS) also zeroes RdrCnt and the tail, and Epoch with `reset_epoch: zero`.
//
// Both parts of RelCnt count modulo their width, without a carry from one to the other. RdrCnt and
// RelCnt may be narrower (small models); unused bits stay zero.

#include <cstdint>

#include "core/base/ids.h"
#include "core/verbs/verb.h"
#include "core/verbs/verbs.h"

namespace latchlab::shiftlock {

inline constexpr std::uint64_t kEntryBytes = 16;
inline constexpr std::uint64_t kEpochBit = 1;
inline constexpr int kTailShift = 24;
inline constexpr std::uint64_t kTailMask = ~0ULL << kTailShift;
inline constexpr int kRelCntOffset = 8;

constexpr std::uint64_t tail_bits(EndpointAddr tail) {
  return static_cast<std::uint64_t>(tail.node.value) << kTailShift |
         static_cast<std::uint64_t>(tail.number) << 40;
}

struct Entry {
  std::uint64_t epoch = 0;
  std::uint64_t readers = 0;
  EndpointAddr tail;
  std::uint64_t relcnt = 0;
};

struct EntryFormat {
  int rdrcnt_bits = 23;
  int relcnt_bits = 64;
  int recovery_bits = 32;

  constexpr std::uint64_t rdrcnt_mask() const { return ((1ULL << rdrcnt_bits) - 1) << 1; }
  constexpr std::uint64_t relcnt_mask() const { return ~0ULL >> (64 - relcnt_bits); }
  constexpr int releases_bits() const { return relcnt_bits - recovery_bits; }
  constexpr std::uint64_t releases_mask() const { return (1ULL << releases_bits()) - 1; }

  constexpr std::uint64_t plus(std::uint64_t relcnt, std::uint64_t releases) const {
    return (relcnt & ~releases_mask()) | ((relcnt + releases) & releases_mask());
  }
  // How often the lock has been recovered. This identifies the life of a lock.
  constexpr std::uint64_t recoveries(std::uint64_t relcnt) const {
    return (relcnt & relcnt_mask()) >> releases_bits();
  }
  constexpr std::uint64_t recovered(std::uint64_t relcnt) const {
    return (relcnt + (1ULL << releases_bits())) & relcnt_mask();
  }
  // Was the lock recovered between these two looks at RelCnt? With one bit, as printed (3.6), a
  // difference of half the range means yes, which is also what a late release that restores an
  // earlier RelCnt looks like.
  constexpr bool leapt(std::uint64_t from, std::uint64_t to) const {
    if (recovery_bits == 1) return ((to - from) & relcnt_mask()) >= recovered(0);
    return recoveries(from) != recoveries(to);
  }

  constexpr Entry unpack(const Words& words) const {
    return {words.lo & kEpochBit, (words.lo & rdrcnt_mask()) >> 1,
            EndpointAddr{NodeId{static_cast<std::uint16_t>(words.lo >> kTailShift)},
                         static_cast<std::uint32_t>(words.lo >> 40)},
            words.hi & relcnt_mask()};
  }

  // ---- readers: ExtFAA on separate fields ----
  Words boundary() const {
    return {kEpochBit | 1ULL << rdrcnt_bits | 1ULL << 23 | 1ULL << 39 | 1ULL << 63,
            1ULL << (releases_bits() - 1) | 1ULL << (relcnt_bits - 1)};
  }
  Verb add_reader(RemoteAddr entry) const {
    return masked_faa_verb(entry, kEntryBytes, {2, 0}, boundary());
  }
  Verb remove_reader(RemoteAddr entry) const {
    return masked_faa_verb(entry, kEntryBytes, {rdrcnt_mask(), 1}, boundary());
  }
  // The same, only if RdrCnt and RelCnt are as in `seen`.
  Verb remove_reader_if(RemoteAddr entry, const Entry& seen) const {
    return masked_cas_verb(
        entry, kEntryBytes, {seen.readers << 1, seen.relcnt}, {rdrcnt_mask(), relcnt_mask()},
        {(seen.readers - 1) << 1, plus(seen.relcnt, 1)}, {rdrcnt_mask(), relcnt_mask()});
  }

  // ---- writers: joining the queue ----
  Verb join_queue(RemoteAddr entry, EndpointAddr self) const {
    return masked_cas_verb(entry, kEntryBytes, {}, {}, {tail_bits(self), 0}, {kTailMask, 0});
  }
  Verb take_if_free(RemoteAddr entry, EndpointAddr self) const {
    return masked_cas_verb(entry, kEntryBytes, {}, {rdrcnt_mask() | kTailMask, 0},
                           {tail_bits(self), 0}, {kTailMask, 0});
  }

  // ---- writers: leaving the queue. `fenced`: only while RelCnt still is `relcnt` ----
  Verb leave_queue(RemoteAddr entry, EndpointAddr self, std::uint64_t epoch, std::uint64_t relcnt,
                   bool fenced) const {
    return masked_cas_verb(
        entry, kEntryBytes, {tail_bits(self), relcnt}, {kTailMask, fenced ? relcnt_mask() : 0},
        {epoch ^ kEpochBit, plus(relcnt, 1)}, {kTailMask | kEpochBit, relcnt_mask()});
  }
  Verb count_release(RemoteAddr entry) const {
    return masked_faa_verb(entry, kEntryBytes, {0, 1}, boundary());
  }
  Verb count_release_if(RemoteAddr entry, std::uint64_t relcnt) const {
    return masked_cas_verb(entry, kEntryBytes, {0, relcnt}, {0, relcnt_mask()},
                           {0, plus(relcnt, 1)}, {0, relcnt_mask()});
  }
  Verb change_mode(RemoteAddr entry, bool flip) const {
    return masked_faa_verb(entry, kEntryBytes, {flip ? kEpochBit : 0, 1}, boundary());
  }
  Verb change_mode_if(RemoteAddr entry, std::uint64_t epoch, std::uint64_t relcnt, bool fenced,
                      bool flip) const {
    return masked_cas_verb(
        entry, kEntryBytes, {epoch, relcnt}, {kEpochBit, fenced ? relcnt_mask() : 0},
        {epoch ^ kEpochBit, plus(relcnt, 1)}, {flip ? kEpochBit : 0, relcnt_mask()});
  }

  // ---- recovery: if RelCnt is `relcnt`, zeroes the queue and RdrCnt and counts a recovery ----
  Verb reset(RemoteAddr entry, std::uint64_t relcnt, bool keep_epoch) const {
    const std::uint64_t cleared = kTailMask | rdrcnt_mask() | (keep_epoch ? 0 : kEpochBit);
    return masked_cas_verb(entry, kEntryBytes, {0, relcnt}, {0, relcnt_mask()},
                           {0, recovered(relcnt)}, {cleared, relcnt_mask()});
  }
};

}  // namespace latchlab::shiftlock
