#pragma once
// How many verbs an actor has asked for. Differences of two tallies belong to what happened in
// between; the client loop takes them at the borders of acquisitions, releases and cycles.

#include <array>
#include <cstdint>

#include "core/verbs/verb.h"

namespace latchlab {

struct VerbTally {
  static constexpr int kKinds = 6;
  static constexpr int kWidths = 3;  // 8 bytes, 16 bytes, longer
  std::array<std::array<std::uint64_t, kWidths>, kKinds> verbs = {};
  std::uint64_t sends = 0;
  std::uint64_t calls = 0;
  std::uint64_t mismatched = 0;    // CAS (masked or not) whose comparison failed
  std::uint64_t probe_reads = 0;   // READs issued by await_remote
  std::uint64_t probe_misses = 0;  // ... whose value did not end the wait

  static constexpr int width_index(std::uint32_t bytes) {
    return bytes <= 8 ? 0 : bytes <= 16 ? 1 : 2;
  }
  void count(const Verb& verb) {
    ++verbs[static_cast<std::size_t>(verb.kind)][static_cast<std::size_t>(width_index(verb.bytes))];
  }
  std::uint64_t of(VerbKind kind) const {
    const auto& row = verbs[static_cast<std::size_t>(kind)];
    return row[0] + row[1] + row[2];
  }
  std::uint64_t reads() const { return of(VerbKind::read); }
  std::uint64_t writes() const { return of(VerbKind::write); }
  std::uint64_t atomics() const {
    return of(VerbKind::cas) + of(VerbKind::faa) + of(VerbKind::masked_cas) +
           of(VerbKind::masked_faa);
  }
  std::uint64_t one_sided() const { return reads() + writes() + atomics(); }

  template <class Combine>
  void combine(const VerbTally& other, Combine combine_one) {
    for (std::size_t k = 0; k < kKinds; ++k)
      for (std::size_t w = 0; w < kWidths; ++w) combine_one(verbs[k][w], other.verbs[k][w]);
    combine_one(sends, other.sends);
    combine_one(calls, other.calls);
    combine_one(mismatched, other.mismatched);
    combine_one(probe_reads, other.probe_reads);
    combine_one(probe_misses, other.probe_misses);
  }
  VerbTally& operator+=(const VerbTally& other) {
    combine(other, [](std::uint64_t& mine, std::uint64_t theirs) { mine += theirs; });
    return *this;
  }
  VerbTally& operator-=(const VerbTally& other) {
    combine(other, [](std::uint64_t& mine, std::uint64_t theirs) { mine -= theirs; });
    return *this;
  }
};

}  // namespace latchlab
