#pragma once
// Masked atomics as send queue entries (WQEs) of mlx5, for mlx5dv_wr_raw_wqe: no upstream verb
// posts them. Layout: segments of 16 bytes, all fields big endian.
//
//   control   16  opmod:8 index:16 opcode:8 | QP:24 segments:8 | signature, stream, flags | 0
//   address   48  on a DC initiator only: the address vector of the target
//   remote    16  address:64 | key:32 | 0
//   operands      CAS: swap, compare, swap mask, compare mask; FAA: addend, field boundary;
//                 each as wide as the atomic
//   data      16  bytes:32 | key:32 | address:64 of the buffer for the reply
//
// opmod is 8 | (log2(bytes) - 2). 16-byte operands are two words, the lower address first, each big
// endian. So is a 16-byte reply; an 8-byte reply comes in host order in the mode that the kernel
// sets and libibverbs calls IBV_ATOMIC_HCA. Sources: infiniband/mlx5dv.h for control, address
// vector and opcodes; the masked atomic segment of libmlx5 and the extended atomics of UCX and of
// Mellanox OFED's libmlx5 for operands, opmod and byte order; RFC 7306 for the semantics, which
// core/verbs/verb.h describes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/ibverbs/queues.h"

namespace latchlab::ib {

inline constexpr std::uint32_t kWqeBlock = 64;  // send queues are rings of such blocks
inline constexpr std::uint32_t kAddressVectorBytes = 48;
inline constexpr std::uint32_t kMostMaskedBytes = 16 + 16 + 4 * 16 + 16;  // of a WQE on an RC QP

// A send queue entry; the driver fills in the index and reads the length from it.
struct Wqe {
  alignas(16) std::array<std::byte, kMostMaskedBytes + kAddressVectorBytes> bytes = {};
  std::uint32_t length = 0;
};

using AddressVector = std::array<std::byte, kAddressVectorBytes>;
// The address vector of a DC target. `to_port`: the address vector in libmlx5's address handle
// (mlx5dv_ah::av).
AddressVector to_dc_target(const AddressVector& to_port, std::uint32_t number, std::uint64_t key);

// `request` is a masked atomic of 8 or 16 bytes; `qp`: the number of the QP that it is posted on;
// `address`: empty, or the address vector of a DC target.
Wqe encode_masked(const WorkRequest& request, std::uint32_t qp,
                  std::span<const std::byte> address = {});

// The memory's value before a masked atomic of `bytes`, from the reply in `landed`.
Words masked_reply(const Words& landed, std::uint32_t bytes);

}  // namespace latchlab::ib
