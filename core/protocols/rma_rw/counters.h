#pragma once
// The readers' counters and the mode in one word: its layout, and every verb on it. rma_rw.h lists
// the fields and which clients change them.

#include <cstdint>

#include "core/verbs/verbs.h"

namespace latchlab::rma_rw {

inline constexpr std::uint64_t kWriteMode = 1ULL << 31;
inline constexpr std::uint64_t kOneDeparture = 1ULL << 32;
inline constexpr std::uint64_t kFieldMask = kOneDeparture - 1;
inline constexpr Words kFieldTops = {kWriteMode | 1ULL << 63, 0};

struct Counters {
  std::uint64_t arrive = 0;  // with the mode: no reader may enter at or above the threshold
  std::uint64_t depart = 0;

  constexpr bool writing() const { return arrive >= kWriteMode; }
  constexpr std::uint64_t readers_in() const { return (arrive & ~kWriteMode) - depart; }
};

constexpr Counters unpack_counters(std::uint64_t word) {
  return {word & kFieldMask, word / kOneDeparture};
}

// ---- by readers ----
inline Verb arrive_verb(RemoteAddr counters) {
  return masked_faa_verb(counters, 8, {1, 0}, kFieldTops);
}
inline Verb back_out_verb(RemoteAddr counters) {
  return faa_verb(counters, ~0ULL);  // borrows nothing: the reader has counted itself in
}
inline Verb depart_verb(RemoteAddr counters) {
  return masked_faa_verb(counters, 8, {kOneDeparture, 0}, kFieldTops);
}

// ---- by the first writer ----
inline Verb write_mode_verb(RemoteAddr counters) {
  // Carries nothing: the client that emptied the queue or changed the mode has cleared it before.
  return faa_verb(counters, kWriteMode);
}

// ---- by the client that resets ----

// Subtracts what was seen, both fields and the mode at once; concurrent changes remain.
inline Verb reset_verb(RemoteAddr counters, const Counters& seen) {
  const std::uint64_t arrived = seen.depart + (seen.writing() ? kWriteMode : 0);
  const std::uint64_t add = ((0 - arrived) & kFieldMask) | (0 - seen.depart) * kOneDeparture;
  return masked_faa_verb(counters, 8, {add, 0}, kFieldTops);
}
// First takes all departures, then subtracts as many arrivals.
inline Verb claim_departures_verb(RemoteAddr counters) {
  return masked_cas_verb(counters, 8, {}, {}, {}, {kFieldMask * kOneDeparture, 0});
}
inline Verb take_arrivals_verb(RemoteAddr counters, std::uint64_t claimed) {
  return masked_faa_verb(counters, 8, {(0 - claimed) & kFieldMask, 0}, kFieldTops);
}

}  // namespace latchlab::rma_rw
