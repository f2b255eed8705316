#include "backends/ibverbs/memory.h"

#include <fmt/core.h>
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

}  // namespace latchlab::ib
