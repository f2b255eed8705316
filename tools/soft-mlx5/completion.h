#pragma once
// Contents of completions.

#include <cstddef>
#include <cstdint>

#include "tools/soft-mlx5/device.h"

namespace soft_mlx5 {

enum Syndrome : std::uint8_t {
  kFine = 0,
  kLocalLength = 0x01,
  kLocalOperation = 0x02,
  kLocalProtection = 0x04,
  kFlushed = 0x05,
  kRemoteInvalid = 0x12,
  kRemoteAccess = 0x13,
  kRemoteOperation = 0x14,
  kRetriesExceeded = 0x15,
  kNotReadyExceeded = 0x16,
};

struct Device::Completion {
  std::uint8_t code = 0;  // of the completion itself
  std::uint8_t opcode = 0;
  std::uint8_t syndrome = kFine;
  bool solicited = false;
  std::uint32_t qp = 0;
  std::uint32_t user_index = 0;
  std::uint16_t wqe = 0;
  std::uint32_t bytes = 0;
  std::uint32_t immediate = 0;  // in memory byte order
  std::uint32_t remote_qp = 0;
  const std::byte* inlined = nullptr;  // at most 32 bytes
  std::size_t inlined_bytes = 0;
};

}  // namespace soft_mlx5
