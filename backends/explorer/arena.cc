// The arenas, and the operators new and delete that use them. A program that does not explore pays
// one test of a thread-local pointer for each allocation.

#include "backends/explorer/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "core/base/check.h"

namespace latchlab::explorer {

namespace {

constexpr std::size_t kRegionBytes = Arena::kBytes * Arenas::kMost;
// The region is mapped here if possible: then a pointer has the same bytes in every run.
constexpr std::uintptr_t kWishedAddress = 0x2000'0000'0000;

thread_local Arena* current = nullptr;
ArenaSet touched = 0;         // one search at a time, on one thread
std::byte* region = nullptr;  // null: not mapped yet
bool in_use = false;

std::byte* map_region() {
  void* const wished = reinterpret_cast<void*>(kWishedAddress);  // NOLINT: an address, by choice
  void* const memory = ::mmap(wished, kRegionBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  LATCHLAB_CHECK(memory != MAP_FAILED, "no address space for a search");
  return static_cast<std::byte*>(memory);
}

bool in_region(const void* memory) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const auto begin = reinterpret_cast<std::uintptr_t>(region);
  return region != nullptr && at - begin < kRegionBytes;
}

std::size_t index_of(const void* memory) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const auto begin = reinterpret_cast<std::uintptr_t>(region);
  return (at - begin) / Arena::kBytes;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (current != nullptr) [[unlikely]]
    return current->take(bytes);
  return std::malloc(std::max<std::size_t>(bytes, 1));
}

void* allocate_aligned(std::size_t bytes, std::size_t align) {
  if (current != nullptr) {
    LATCHLAB_CHECK(align <= Arena::kGranule, "an arena aligns to 64 bytes");
    return current->take(bytes);
  }
  return std::aligned_alloc(align, (std::max<std::size_t>(bytes, 1) + align - 1) / align * align);
}

void release(void* memory) noexcept {
  if (in_region(memory)) [[unlikely]] {
    reinterpret_cast<Arena*>(region + index_of(memory) * Arena::kBytes)->give(memory);
    return;
  }
  std::free(memory);
}

void Arena::reset() {
  static_assert(sizeof(Arena) % kGranule == 0);
  constexpr std::size_t bookkeeping = sizeof(Arena) / kGranule;
  std::memset(static_cast<void*>(this), 0, sizeof(Arena));
  for (std::size_t i = 0; i < bookkeeping; ++i) maps_[i / 64].taken |= 1ULL << i % 64;
  maps_[(bookkeeping - 1) / 64].last |= 1ULL << (bookkeeping - 1) % 64;
}

std::size_t Arena::find_gap(std::size_t granules) const {
  std::size_t run = 0;
  for (std::size_t at = 0; at < kGranules; ++at) {
    if (at % 64 == 0 && maps_[at / 64].taken == ~0ULL) {
      run = 0;
      at += 63;
      continue;
    }
    run = taken(at) ? 0 : run + 1;
    if (run == granules) return at + 1 - granules;
  }
  LATCHLAB_CHECK(false, "an arena of the explorer is full: explore fewer clients");
  return 0;
}

void* Arena::take(std::size_t bytes) {
  touch(arena_of(this));
  const std::size_t granules = std::max<std::size_t>((bytes + kGranule - 1) / kGranule, 1);
  const std::size_t first = find_gap(granules);
  for (std::size_t i = first; i < first + granules; ++i) maps_[i / 64].taken |= 1ULL << i % 64;
  const std::size_t end = first + granules - 1;
  maps_[end / 64].last |= 1ULL << end % 64;
  return reinterpret_cast<std::byte*>(this) + first * kGranule;
}

void Arena::give(void* memory) noexcept {
  touch(arena_of(this));
  const auto offset = static_cast<std::byte*>(memory) - reinterpret_cast<std::byte*>(this);
  const std::size_t first = static_cast<std::size_t>(offset) / kGranule;
  std::size_t at = first;
  for (bool more = true; more; ++at) {
    more = !last(at);
    maps_[at / 64].taken &= ~(1ULL << at % 64);
    maps_[at / 64].last &= ~(1ULL << at % 64);
  }
  std::memset(memory, 0, (at - first) * kGranule);
}

std::size_t Arena::used_bytes() const {
  for (std::size_t i = kMapWords; i-- > 0;)
    if (maps_[i].taken != 0) return (64 * i + 64 - std::countl_zero(maps_[i].taken)) * kGranule;
  return 0;
}

Arenas::Arenas() {
  LATCHLAB_CHECK(!std::exchange(in_use, true), "one search at a time");
  if (region == nullptr) region = map_region();
}

Arenas::~Arenas() {
  for (std::size_t i = 0; i < count_; ++i)
    ::madvise(region + i * Arena::kBytes, Arena::kBytes, MADV_DONTNEED);
  in_use = false;
}

Arena& Arenas::operator[](std::size_t index) {
  return *reinterpret_cast<Arena*>(region + index * Arena::kBytes);
}

std::size_t Arenas::add() {
  LATCHLAB_CHECK(count_ < kMost, "more actors than a search can hold");
  (*this)[count_].reset();
  return count_++;
}

ArenaSet arena_of(const void* memory) {
  return in_region(memory) ? ArenaSet{1} << index_of(memory) : 0;
}

void touch(ArenaSet arenas) {
  touched |= arenas;
}

ArenaSet touched_arenas() {
  return touched;
}

void forget_touched() {
  touched = 0;
}

ArenaScope::ArenaScope(Arena* arena) : before_(std::exchange(current, arena)) {
  if (arena != nullptr) touch(arena_of(arena));
}
ArenaScope::~ArenaScope() {
  current = before_;
}
void select_arena(Arena* arena) {
  current = arena;
}

}  // namespace latchlab::explorer

namespace {

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// All forms are defined here: otherwise a sanitizer's runtime defines the rest, and the two do not
// mix.
using latchlab::explorer::allocate;
using latchlab::explorer::allocate_aligned;
using latchlab::explorer::release;

void* operator new(std::size_t bytes) {
  return checked(allocate(bytes));
}
void* operator new[](std::size_t bytes) {
  return checked(allocate(bytes));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t align) {
  return checked(allocate_aligned(bytes, static_cast<std::size_t>(align)));
}
void* operator new[](std::size_t bytes, std::align_val_t align) {
  return checked(allocate_aligned(bytes, static_cast<std::size_t>(align)));
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
