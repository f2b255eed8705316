#pragma once
// Counts of the verbs that an actor has issued. The measuring code reads them at the borders of
// acquisitions and cycles, and may reset a client's counts at the end of a cycle.

#include <array>
#include <cstdint>
#include <utility>

#include "core/verbs/verb.h"

namespace latchlab {

// `Count` has 32 bits for one actor, whose tally is read at the borders of every cycle, and 64 bits
// for sums. The difference of two 32-bit tallies is correct if it fits 32 bits.
template <class Count>
struct BasicTally {
  static constexpr int kKinds = 6;
  static constexpr int kWidths = 3;  // 8 bytes, 16 bytes, longer
  std::array<std::array<Count, kWidths>, kKinds> verbs = {};
  Count sends = 0;
  Count calls = 0;
  Count mismatched = 0;    // CAS (masked or not) whose comparison failed
  Count probe_reads = 0;   // READs issued by await_remote
  Count probe_misses = 0;  // ... whose value did not end the wait
  bool operator==(const BasicTally&) const = default;

  static constexpr int width_index(std::uint32_t bytes) {
    return bytes <= 8 ? 0 : bytes <= 16 ? 1 : 2;
  }
  void count(const Verb& verb) {
    ++verbs[static_cast<std::size_t>(verb.kind)][static_cast<std::size_t>(width_index(verb.bytes))];
  }
  Count of(VerbKind kind) const {
    const auto& row = verbs[static_cast<std::size_t>(kind)];
    return row[0] + row[1] + row[2];
  }
  Count reads() const { return of(VerbKind::read); }
  Count writes() const { return of(VerbKind::write); }
  Count atomics() const {
    return of(VerbKind::cas) + of(VerbKind::faa) + of(VerbKind::masked_cas) +
           of(VerbKind::masked_faa);
  }
  Count one_sided() const { return reads() + writes() + atomics(); }

  template <class Other, class Combine>
  void combine(const BasicTally<Other>& other, Combine combine_one) {
    for (std::size_t k = 0; k < kKinds; ++k)
      for (std::size_t w = 0; w < kWidths; ++w) combine_one(verbs[k][w], other.verbs[k][w]);
    combine_one(sends, other.sends);
    combine_one(calls, other.calls);
    combine_one(mismatched, other.mismatched);
    combine_one(probe_reads, other.probe_reads);
    combine_one(probe_misses, other.probe_misses);
  }
  // Adds what `other` has counted, and resets `other`. Most kinds do not occur in a cycle.
  template <class Other>
  void take(BasicTally<Other>& other) {
    for (std::size_t k = 0; k < kKinds; ++k) {
      auto& theirs = other.verbs[k];
      if ((theirs[0] | theirs[1] | theirs[2]) == 0) continue;
      for (std::size_t w = 0; w < kWidths; ++w) verbs[k][w] += std::exchange(theirs[w], 0);
    }
    sends += std::exchange(other.sends, 0);
    calls += std::exchange(other.calls, 0);
    mismatched += std::exchange(other.mismatched, 0);
    probe_reads += std::exchange(other.probe_reads, 0);
    probe_misses += std::exchange(other.probe_misses, 0);
  }
  template <class Other>
  BasicTally& operator+=(const BasicTally<Other>& other) {
    combine(other, [](Count& mine, Other theirs) { mine += theirs; });
    return *this;
  }
  BasicTally& operator-=(const BasicTally& other) {
    combine(other, [](Count& mine, Count theirs) { mine -= theirs; });
    return *this;
  }
  friend BasicTally operator-(BasicTally later, const BasicTally& earlier) {
    return later -= earlier;
  }
};

using ActorTally = BasicTally<std::uint32_t>;
using VerbTally = BasicTally<std::uint64_t>;

}  // namespace latchlab
