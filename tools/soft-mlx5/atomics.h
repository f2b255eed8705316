#pragma once
// The four atomics of a ConnectX, on little-endian 8-byte (or 4-byte) words in ascending order.
// Sources: IBTA 9.4.5, RFC 7306 5.1 (masks). Operands of more than 8 bytes are as in MLNX_OFED's
// libmlx5: a field has at most 64 bits, and carries do not cross into the next word.

#include <cstddef>
#include <cstdint>

namespace soft_mlx5 {

struct AtomicOperands {
  bool compares = false;  // CAS; else fetch and add
  std::uint32_t bytes = 8;
  // Host order, one entry per word. FAA: `swap` is the addend, and a bit in `swap_mask` ends a
  // field, so that no carry leaves it.
  std::uint64_t swap[8] = {};
  std::uint64_t compare[8] = {};
  std::uint64_t swap_mask[8] = {};
  std::uint64_t compare_mask[8] = {};
};

// Executes at `at`, which is naturally aligned; the old value goes to `before`. Atomic with other
// calls that the same lock serialises, but not with the CPU, like an HCA without PCI atomics.
void execute_atomic(void* at, const AtomicOperands& operands, std::uint64_t* before);

}  // namespace soft_mlx5
