#pragma once
// Memory on an RNIC (libibverbs calls it device memory, mlx5 MEMIC): peers reach it as they reach
// host memory, the CPU by copies over the bus, word by word and atomic with nothing.

#include <cstdint>

#include "backends/ibverbs/device.h"

namespace latchlab::ib {

class DeviceMemory {
 public:
  // `bytes`: a multiple of 8. Aligned to 64; what it holds is whatever was there. The error says
  // how much there is.
  static Result<DeviceMemory> make(const Device& device, std::uint64_t bytes);
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;

  // Addresses of verbs count from 0.
  std::uint32_t local_key() const;
  std::uint32_t remote_key() const;
  // Multiples of 8, inside.
  void write(std::uint64_t offset, const void* data, std::uint64_t bytes);
  std::uint64_t read(std::uint64_t offset) const;
  // Peers reach none of it any more, nor does anybody else.
  void drop();

 private:
  ibv_dm* dm_ = nullptr;
  ibv_mr* mr_ = nullptr;
};

}  // namespace latchlab::ib
