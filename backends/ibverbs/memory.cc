#include "backends/ibverbs/memory.h"

#include <fmt/core.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/check.h"
#include "core/base/multiples.h"

namespace latchlab::ib {

namespace {

// Address space behind the table; no memory until it is used.
constexpr std::uint64_t kHeapBytes = 1ULL << 32;
constexpr std::uint64_t kHugePage = 2ULL << 20;
constexpr std::uint64_t kFillWords = 512;

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

const Region* find_region(const Regions& regions, std::uint64_t offset, std::uint64_t bytes) {
  const auto after = regions.upper_bound(offset);
  if (after == regions.begin()) return nullptr;
  const Region& region = std::prev(after)->second;
  return region.holds(offset, bytes) ? &region : nullptr;
}

Result<std::unique_ptr<Memory>> Memory::make(const Device& device, NodeId node, std::uint64_t bytes,
                                             const Image& image, OnDevice on_device) {
  auto memory = std::unique_ptr<Memory>(new Memory(device, node));
  memory->used_ = round_up(bytes, kHugePage);
  memory->reserved_ = memory->used_ + kHeapBytes;
  void* const at = ::mmap(nullptr, memory->reserved_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return Error{fmt::format("no address space for {} bytes of registered memory: {}", bytes,
                             std::strerror(errno)),
                 {}};
  memory->base_ = static_cast<std::byte*>(at);
  // A hint; failure does not matter.
  if (bytes >= kHugePage) ::madvise(at, memory->used_, MADV_HUGEPAGE);
  // Forked children must not share pages that the RNIC writes to.
  ::madvise(at, memory->reserved_, MADV_DONTFORK);
  if (image) {
    auto* const words = reinterpret_cast<std::uint64_t*>(memory->base_);
    for (std::uint64_t w = 0; w < bytes / 8; w += kFillWords)
      image(node, 8 * w, {words + w, std::min(kFillWords, bytes / 8 - w)});
  }
  auto table = memory->enrol(0, bytes);
  if (!table) return table.error();
  memory->table_ = table.value();
  if (on_device.from < on_device.to)
    if (Status moved = memory->move_to_device(on_device); !moved) return moved.error();
  return memory;
}

Status Memory::move_to_device(OnDevice where) {
  const std::uint64_t bytes = round_up(where.to - where.from, 8);
  LATCHLAB_CHECK(where.from % 64 == 0 && table_.holds(where.from, bytes),
                 "a stretch of the table, aligned as what it holds is");
  auto made = DeviceMemory::make(device_, bytes);
  if (!made) return made.error();
  device_memory_ = std::move(made).value();
  device_memory_.write(0, base_ + where.from, bytes);
  on_device_ = {where.from, bytes, device_memory_.local_key(), device_memory_.remote_key(), 0};
  return fine();
}

Memory::~Memory() {
  registrations_.clear();
  if (base_ != nullptr) ::munmap(base_, reserved_);
}

Result<Region> Memory::enrol(std::uint64_t offset, std::uint64_t bytes) {
  auto made = Registration::make(device_, base_ + offset, bytes, true);
  if (!made) return made.error();
  const Region region{offset, bytes, made.value().local_key(), made.value().remote_key(),
                      reinterpret_cast<std::uint64_t>(base_ + offset)};
  registrations_.push_back(std::move(made).value());
  regions_.emplace(offset, region);
  return region;
}

std::byte* Memory::host(std::uint64_t offset, std::uint64_t bytes) const {
  LATCHLAB_CHECK(!on_device_.meets(offset, bytes), "CPU access to memory of an RNIC");
  LATCHLAB_CHECK(find(offset, bytes), "address outside registered memory");
  return base_ + offset;
}

std::uint64_t* Memory::word(std::uint64_t offset) const {
  LATCHLAB_CHECK(offset % 8 == 0, "a word is aligned");
  return reinterpret_cast<std::uint64_t*>(host(offset, 8));
}

std::uint64_t Memory::peek(std::uint64_t offset) const {
  if (on_device_.holds(offset, 8)) return device_memory_.read(offset - on_device_.offset);
  return __atomic_load_n(word(offset), __ATOMIC_SEQ_CST);
}

void Memory::poke(std::uint64_t offset, std::uint64_t value) {
  if (on_device_.holds(offset, 8))
    return device_memory_.write(offset - on_device_.offset, &value, sizeof(value));
  __atomic_store_n(word(offset), value, __ATOMIC_SEQ_CST);
}

std::optional<Region> Memory::find(std::uint64_t offset, std::uint64_t bytes) const {
  if (on_device_.meets(offset, bytes))
    return on_device_.holds(offset, bytes) ? std::optional(on_device_) : std::nullopt;
  if (table_.holds(offset, bytes)) return table_;
  const std::lock_guard guard(mutex_);
  const Region* const region = find_region(regions_, offset, bytes);
  return region == nullptr ? std::nullopt : std::optional(*region);
}

Result<Region> Memory::allocate(std::uint64_t bytes) {
  const std::lock_guard guard(mutex_);
  const std::uint64_t offset = round_up(used_, 4096);
  if (bytes == 0 || bytes > reserved_ || offset > reserved_ - bytes)
    return Error{fmt::format("node {} has no room for {} more bytes", node_.value, bytes), {}};
  used_ = offset + bytes;
  return enrol(offset, round_up(bytes, 8));
}

void Memory::withdraw() {
  const std::lock_guard guard(mutex_);
  registrations_.clear();
  device_memory_.drop();
}

// ---- DeviceMemory ----

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
