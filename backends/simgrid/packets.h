#pragma once
// What requests and answers take on the wire: payload, the headers of each packet, and what the
// operation adds to them. The headers of InfiniBand are those of the specification, volume 1,
// chapter 9; RoCE v2 has the same from the BTH on. link.overhead is the rest of a packet.

#include <algorithm>
#include <cstdint>

#include "backends/simgrid/sim_operation.h"
#include "core/scenario/nic.h"

namespace latchlab::sim {

// The latencies of RNICs include the time of a packet with so much data.
inline constexpr std::uint32_t kSmallBytes = 64;

struct Packets {
  std::uint32_t wire = 0;      // bytes of all packets
  std::uint32_t included = 0;  // of these, what an RNIC's latency includes
};

// Bytes of the headers that an operation adds.
inline constexpr std::uint32_t kReth = 16;           // a READ's or WRITE's address, key and length
inline constexpr std::uint32_t kAtomicEth = 28;      // address and key, two operands of 8 bytes
inline constexpr std::uint32_t kAddressAndKey = 12;  // of these
inline constexpr std::uint32_t kAeth = 4;            // an acknowledgement
inline constexpr std::uint32_t kAtomicAckEth = 8;    // what an atomic of 8 bytes found
inline constexpr std::uint32_t kDeth = 8;            // a datagram
inline constexpr std::uint32_t kDcEth = 16;  // a dynamic connection (assumed: not published)

// The packets of a message of `payload` bytes with `headers` bytes of its own.
inline Packets packets_of(const NicModel& nic, std::uint32_t payload, std::uint32_t headers) {
  const auto mtu = static_cast<std::uint32_t>(nic.mtu);
  const auto overhead = static_cast<std::uint32_t>(nic.packet_overhead);
  const std::uint32_t count = payload <= mtu ? 1 : (payload + mtu - 1) / mtu;
  return {payload + headers + count * overhead,
          std::min(payload, kSmallBytes) + headers + overhead};
}

// The operands of a masked atomic are assumed to be those of its work request: a CAS has two values
// and two masks, a FETCH_ADD a value and a mask.
inline std::uint32_t atomic_header(const Verb& verb) {
  if (verb.kind == VerbKind::masked_cas) return kAddressAndKey + 4 * verb.bytes;
  if (verb.kind == VerbKind::masked_faa) return kAddressAndKey + 2 * verb.bytes;
  return kAtomicEth;
}

inline Packets request_packets(const NicModel& nic, const Verb& verb) {
  if (is_atomic(verb.kind)) return packets_of(nic, 0, atomic_header(verb));
  return packets_of(nic, verb.kind == VerbKind::write ? verb.bytes : 0, kReth);
}

// The first and the last packet of a READ's answer have an AETH.
inline Packets answer_packets(const NicModel& nic, const Verb& verb) {
  if (verb.kind == VerbKind::write) return packets_of(nic, 0, kAeth);
  if (is_atomic(verb.kind))
    return packets_of(nic, 0, kAeth + std::max(kAtomicAckEth, std::uint32_t{verb.bytes}));
  const bool one = verb.bytes <= static_cast<std::uint32_t>(nic.mtu);
  return packets_of(nic, verb.bytes, one ? kAeth : 2 * kAeth);
}

}  // namespace latchlab::sim
