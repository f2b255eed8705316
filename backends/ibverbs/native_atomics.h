#pragma once
// The atomics that a device executes itself: what its firmware reports, and then a trial of each
// kind and width on QPs that are connected to each other, because the report is not sufficient
// (settings disable masks, and the byte order of replies is a mode).

#include <cstdint>
#include <string>

#include "backends/ibverbs/device.h"
#include "core/base/result.h"

namespace latchlab {

// The atomics of one device, or those common to all devices of a run.
struct NativeAtomics {
  enum Kind : std::uint32_t {
    plain = 1,  // CAS and FAA of 8 bytes
    // 8-byte and 16-byte atomics on one word were atomic with each other in every trial. This is no
    // proof: no manual guarantees it.
    mixed = 2,
    masked_8 = 8,  // masked CAS and FAA; as large as the width
    masked_16 = 16,
    dc = 4,  // masked CAS and FAA; the value is the width
  };
  // Masked atomics over DC: their bits are shifted left by this.
  static constexpr std::uint32_t kByDc = 2;

  std::uint32_t kinds = 0;
  std::string lacking;  // why some are missing, for the user; empty: none is
  bool has(std::uint32_t kind) const { return (kinds & kind) != 0; }
  // "masked atomics of 8 and 16 bytes"; empty: it has none.
  std::string text() const;
  // The atomics of verbs that use DC.
  NativeAtomics by_dc() const;
};

// The atomics that both have, and why there are no more.
NativeAtomics common(const NativeAtomics& a, const NativeAtomics& b);

namespace ib {

// Takes milliseconds. Runs once per process and device; later calls return the same result. Devices
// of other drivers than mlx5 have plain atomics or none.
NativeAtomics try_atomics(const Device& device);

}  // namespace ib
}  // namespace latchlab
