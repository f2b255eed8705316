#include "backends/ibverbs/device_memory.h"

#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr std::uint32_t kLogAlignment = 6;
constexpr unsigned kAccess = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE |
                             IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
                             IBV_ACCESS_REMOTE_ATOMIC;

Error does_not_fit(const DeviceFacts& device, std::uint64_t bytes) {
  if (device.own_memory == 0)
    return {fmt::format("{} has no memory of its own (max_dm_size is 0) for a lock table: use "
                        "locks.memory: host",
                        device.name),
            {}};
  return {fmt::format("a lock table of {} bytes does not fit into the {} bytes of {}'s own memory "
                      "(max_dm_size): use fewer locks, a smaller locks.stride, or locks.memory: "
                      "host",
                      bytes, device.own_memory, device.name),
          {}};
}

}  // namespace

Result<DeviceMemory> DeviceMemory::make(const Device& device, std::uint64_t bytes) {
  LATCHLAB_CHECK(bytes > 0 && bytes % 8 == 0, "whole words of an RNIC's memory");
  const DeviceFacts& facts = device.facts();
  if (bytes > facts.own_memory) return does_not_fit(facts, bytes);
  DeviceMemory made;
  ibv_alloc_dm_attr wanted = {};
  wanted.length = bytes;
  wanted.log_align_req = kLogAlignment;
  made.dm_ = ibv_alloc_dm(device.context(), &wanted);
  if (made.dm_ == nullptr) {
    const int why = errno;
    return Error{
        fmt::format("{} gives no {} bytes of its own memory, of {} in all: {}{}", facts.name, bytes,
                    facts.own_memory, std::strerror(why),
                    why == ENOMEM || why == ENOSPC
                        ? "; others hold some of it: use fewer locks, or locks.memory: host"
                        : ""),
        {}};
  }
  made.mr_ = ibv_reg_dm_mr(device.pd(), made.dm_, 0, bytes, kAccess);
  if (made.mr_ == nullptr)
    return Error{fmt::format("{} does not register {} bytes of its own memory: {}", facts.name,
                             bytes, std::strerror(errno)),
                 {}};
  return made;
}

DeviceMemory::~DeviceMemory() {
  drop();
}
DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : dm_(std::exchange(other.dm_, nullptr)), mr_(std::exchange(other.mr_, nullptr)) {}
DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(dm_, other.dm_);
  std::swap(mr_, other.mr_);
  return *this;
}

std::uint32_t DeviceMemory::local_key() const {
  return mr_->lkey;
}
std::uint32_t DeviceMemory::remote_key() const {
  return mr_->rkey;
}

void DeviceMemory::write(std::uint64_t offset, const void* data, std::uint64_t bytes) {
  const int status = ibv_memcpy_to_dm(dm_, offset, data, bytes);
  LATCHLAB_CHECK(status == 0, "an RNIC takes what is written into its memory");
}

std::uint64_t DeviceMemory::read(std::uint64_t offset) const {
  std::uint64_t word = 0;
  const int status = ibv_memcpy_from_dm(&word, dm_, offset, sizeof(word));
  LATCHLAB_CHECK(status == 0, "an RNIC shows what is in its memory");
  return word;
}

void DeviceMemory::drop() {
  if (mr_ != nullptr) ibv_dereg_mr(std::exchange(mr_, nullptr));
  if (dm_ != nullptr) ibv_free_dm(std::exchange(dm_, nullptr));
}

}  // namespace latchlab::ib
