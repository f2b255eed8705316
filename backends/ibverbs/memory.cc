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

constexpr std::uint64_t kHeapBytes = 1ULL << 32;  // address space behind the table, not memory
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
                                             const Image& image) {
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
  if (bytes >= kHugePage) ::madvise(at, memory->used_, MADV_HUGEPAGE);  // a wish, no more
  // Children that are forked later must not share what the RNIC writes to.
  ::madvise(at, memory->reserved_, MADV_DONTFORK);
  if (image) {
    auto* const words = reinterpret_cast<std::uint64_t*>(memory->base_);
    for (std::uint64_t w = 0; w < bytes / 8; w += kFillWords)
      image(node, 8 * w, {words + w, std::min(kFillWords, bytes / 8 - w)});
  }
  auto table = memory->enrol(0, bytes);
  if (!table) return table.error();
  memory->table_ = table.value();
  return memory;
}

Memory::~Memory() {
  registrations_.clear();
  if (base_ != nullptr) ::munmap(base_, reserved_);
}

Result<Region> Memory::enrol(std::uint64_t offset, std::uint64_t bytes) {
  auto made = Registration::make(device_, base_ + offset, bytes, true);
  if (!made) return made.error();
  const Region region{offset, bytes, made.value().local_key(), made.value().remote_key()};
  registrations_.push_back(std::move(made).value());
  regions_.emplace(offset, region);
  return region;
}

std::uint64_t* Memory::word(std::uint64_t offset) const {
  LATCHLAB_CHECK(offset % 8 == 0 && find(offset, 8), "address outside registered memory");
  return reinterpret_cast<std::uint64_t*>(base_ + offset);
}

std::optional<Region> Memory::find(std::uint64_t offset, std::uint64_t bytes) const {
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
}

}  // namespace latchlab::ib
