#pragma once
// Memory on an RNIC (libibverbs calls it device memory, mlx5 MEMIC). Peers reach it like host
// memory; the CPU copies over the bus, word by word, and is not atomic with any verb.

#include <cstdint>

#include "backends/ibverbs/device.h"

namespace latchlab::ib {

class DeviceMemory {
 public:
  // `bytes`: a multiple of 8. Aligned to 64, not initialised. The error says how much memory there
  // is.
  static Result<DeviceMemory> make(const Device& device, std::uint64_t bytes);
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;

  // Verbs address it from 0 on.
  std::uint32_t local_key() const;
  std::uint32_t remote_key() const;
  // Multiples of 8, within the memory.
  void write(std::uint64_t offset, const void* data, std::uint64_t bytes);
  std::uint64_t read(std::uint64_t offset) const;
  // Frees the memory and its keys: no access is possible any more.
  void drop();

 private:
  ibv_dm* dm_ = nullptr;
  ibv_mr* mr_ = nullptr;
};

}  // namespace latchlab::ib
