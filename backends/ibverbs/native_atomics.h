#pragma once
// Which atomics a device does by itself: what its firmware says, and then a trial of each kind and
// width on QPs that are connected to each other, because what the firmware says is not all
// (settings take masks away, and the byte order of replies is a mode).

#include <cstdint>
#include <string>

#include "backends/ibverbs/device.h"
#include "core/base/result.h"

namespace latchlab {

// Of a device; or what all devices of a run have in common.
struct NativeAtomics {
  enum Kind : std::uint32_t {
    plain = 1,  // CAS and FAA of 8 bytes
    // 8-byte and 16-byte atomics on one word were atomic among themselves whenever they were tried,
    // which is no proof: no manual promises it.
    mixed = 2,
    masked_8 = 8,  // masked CAS and FAA; as large as the width
    masked_16 = 16,
    dc = 4,  // the DC transport is there, with plain ones
  };
  static constexpr std::uint32_t kByDc = 2;  // masked ones by DC: their bits are so far to the left

  std::uint32_t kinds = 0;
  std::string lacking;  // why some are not there, for people; empty: all are
  bool has(std::uint32_t kind) const { return (kinds & kind) != 0; }
  // "masked atomics of 8 and 16 bytes"; empty: of none.
  std::string text() const;
  // For verbs that go by DC.
  NativeAtomics by_dc() const;
};

// What both have, and why not more.
NativeAtomics common(const NativeAtomics& a, const NativeAtomics& b);

namespace ib {

// Takes milliseconds, and happens once in a process: its runs share what was found. Devices of
// other drivers than mlx5 have the plain ones or none.
NativeAtomics try_atomics(const Device& device);

}  // namespace ib
}  // namespace latchlab
