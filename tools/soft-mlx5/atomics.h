#pragma once
// The four atomics of a ConnectX, on little-endian 8-byte (or 4-byte) words in ascending order.
// Sources: IBTA 9.4.5, RFC 7306 5.1 (masks); operand sizes above 8 bytes as MLNX_OFED's libmlx5 has
// them: one 64-bit field a word at most, no carry into the next word.

#include <cstddef>
#include <cstdint>

namespace soft_mlx5 {

struct AtomicOperands {
  bool compares = false;  // CAS; else fetch and add
  std::uint32_t bytes = 8;
  // Host order, one entry a word. FAA: `swap` is what is added, `swap_mask` ends fields: a bit in
  // it lets no carry out.
  std::uint64_t swap[8] = {};
  std::uint64_t compare[8] = {};
  std::uint64_t swap_mask[8] = {};
  std::uint64_t compare_mask[8] = {};
};

// Executes at `at`, which is naturally aligned; what was there goes to `before`. Atomic among calls
// that a lock keeps apart, not against the CPU: as an HCA without PCI atomics.
void execute_atomic(void* at, const AtomicOperands& operands, std::uint64_t* before);

}  // namespace soft_mlx5
