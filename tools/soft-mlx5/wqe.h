#pragma once
// Send WQEs as a ConnectX reads them. Layout: mlx5dv.h, and the published layouts of masked atomics
// (MLNX_OFED's libmlx5, UCX): control segment; for DC the address vector of 48 bytes; remote
// address; operands; data segments or inline data. Units of 16 bytes, all fields big-endian.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/soft-mlx5/config.h"

namespace soft_mlx5 {

// The four atomics of a ConnectX, on little-endian 8-byte (or 4-byte) words in ascending order.
// Sources: IBTA 9.4.5, RFC 7306 5.1 (masks). Operands of more than 8 bytes are as in MLNX_OFED's
// libmlx5: a field has at most 64 bits, and carries do not cross into the next word.
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

enum Opcode : std::uint8_t {
  kNop = 0x00,
  kSendInvalidate = 0x01,
  kWrite = 0x08,
  kWriteImmediate = 0x09,
  kSend = 0x0a,
  kSendImmediate = 0x0b,
  kRead = 0x10,
  kCas = 0x11,
  kFaa = 0x12,
  kMaskedCas = 0x14,
  kMaskedFaa = 0x15,
};
inline bool is_atomic(std::uint8_t opcode) {
  return opcode >= kCas && opcode <= kMaskedFaa;
}
inline bool has_result(std::uint8_t opcode) {
  return opcode == kRead || is_atomic(opcode);
}
inline bool is_send(std::uint8_t opcode) {
  return opcode == kSend || opcode == kSendImmediate || opcode == kSendInvalidate;
}

inline constexpr std::size_t kBlock = 64;
inline constexpr std::size_t kOctoword = 16;
inline constexpr std::size_t kMaxOctowords = 63;

struct DataSegment {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t key = 0;
};

struct AddressVector {
  std::uint64_t dc_key = 0;
  std::uint32_t dct = 0;
  std::uint16_t lid = 0;
  std::uint8_t sgid_index = 0;
  bool global = false;
  Gid gid = {};
};

struct Wqe {
  std::uint8_t opcode = 0;
  std::uint8_t opmod = 0;
  std::uint16_t index = 0;  // of its first block, modulo 2^16
  std::uint16_t blocks = 0;
  std::uint16_t stream = 0;
  bool signalled = false;
  bool solicited = false;
  bool fenced = false;
  std::uint32_t immediate = 0;  // in memory byte order
  std::uint64_t remote = 0;
  std::uint32_t remote_key = 0;
  AtomicOperands operands;
  AddressVector peer;  // DC
  std::uint64_t bytes = 0;
  std::vector<std::byte> inlined;
  std::vector<DataSegment> segments;
  bool malformed = false;  // completes as a local operation error
};

struct WqeContext {
  std::uint32_t qp = 0;
  bool dc = false;
  std::uint32_t streams = 1;
  std::uint16_t index = 0;  // expected
};

// Decodes a WQE that was copied out of its ring, `octowords` long. Calls die() if a rule is broken
// that hardware does not check.
Wqe decode_wqe(const std::byte* wqe, const WqeContext& context);

}  // namespace soft_mlx5
