#pragma once
// A node's registered memory: the plan's table from offset 0 on, and later allocations after it.
// Each is registered by itself, so that peers reach nothing else. Offsets are relative to one base
// address. Any thread.
//
// Part of the table may be on the RNIC. The CPU accesses it only by peek and, in tests, poke,
// because no CPU access is atomic with those of the RNIC.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "backends/ibverbs/device.h"
#include "core/base/ids.h"

namespace latchlab::ib {

// Memory on an RNIC (libibverbs calls it device memory, mlx5 MEMIC). Peers reach it like host
// memory; the CPU copies over the bus, word by word, and is not atomic with any verb.
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

struct Region {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t local_key = 0;
  std::uint32_t remote_key = 0;
  std::uint64_t address = 0;  // of its first byte, in verbs
  std::uint64_t address_of(std::uint64_t at) const { return address + (at - offset); }
  bool holds(std::uint64_t at, std::uint64_t length) const {
    return at >= offset && at - offset < bytes && length <= bytes - (at - offset);
  }
  bool meets(std::uint64_t at, std::uint64_t length) const {
    return at < offset + bytes && at + length > offset;
  }
};

using Regions = std::map<std::uint64_t, Region>;  // by offset
// Null: no region contains them.
const Region* find_region(const Regions& regions, std::uint64_t offset, std::uint64_t bytes);

class Memory {
 public:
  using Image = std::function<void(NodeId, std::uint64_t offset, std::span<std::uint64_t> words)>;
  // Zeroed, then filled by `image` if given; on huge pages if possible. Offsets [from, to) are on
  // the RNIC; none if they are equal.
  struct OnDevice {
    std::uint64_t from = 0, to = 0;
  };
  static Result<std::unique_ptr<Memory>> make(const Device& device, NodeId node,
                                              std::uint64_t bytes, const Image& image,
                                              OnDevice on_device);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* base() const { return base_; }
  // For CPU accesses: checks that the range is registered and not on the RNIC. A word is aligned.
  std::byte* host(std::uint64_t offset, std::uint64_t bytes) const;
  std::uint64_t* word(std::uint64_t offset) const;
  // Host memory or RNIC. A word on the RNIC may be read torn while it changes.
  std::uint64_t peek(std::uint64_t offset) const;
  void poke(std::uint64_t offset, std::uint64_t value);
  // The whole table in host memory, of which the part that is on the RNIC is unused.
  const Region& table() const { return table_; }
  const Region& on_device() const { return on_device_; }
  std::optional<Region> find(std::uint64_t offset, std::uint64_t bytes) const;
  // Zeroed, aligned to 64.
  Result<Region> allocate(std::uint64_t bytes);
  // Deregisters all memory: peers cannot access it any more.
  void withdraw();

 private:
  Memory(const Device& device, NodeId node) : device_(device), node_(node) {}
  Result<Region> enrol(std::uint64_t offset, std::uint64_t bytes);
  Status move_to_device(OnDevice where);

  const Device& device_;
  NodeId node_;
  std::byte* base_ = nullptr;
  std::uint64_t reserved_ = 0;
  std::uint64_t used_ = 0;
  Region table_;
  Region on_device_;  // of 0 bytes: there is none
  DeviceMemory device_memory_;
  mutable std::mutex mutex_;  // guards the members below
  Regions regions_;
  std::vector<Registration> registrations_;
};

}  // namespace latchlab::ib
