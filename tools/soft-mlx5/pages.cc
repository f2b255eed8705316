#include "tools/soft-mlx5/pages.h"

#include <rdma/mlx5-abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/soft-mlx5/bits.h"

namespace soft_mlx5 {

namespace {

// 156.25 MHz: 64 ns are 10 cycles.
constexpr std::uint64_t kCyclesPer64Ns = 10;
constexpr std::uint32_t kShift = 21;
constexpr std::uint32_t kMultiplier = (64U << kShift) / kCyclesPer64Ns;

}  // namespace

void Pages::prepare() {
  if (base_ != nullptr) return;
  file_ = static_cast<int>(::syscall(SYS_memfd_create, "soft-mlx5", 1U));
  if (file_ < 0 || ::ftruncate(file_, kAll * kPage) != 0) die("no memory for the device's pages");
  void* const at = reinterpret_cast<void*>(
      ::syscall(SYS_mmap, nullptr, kAll * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0L));
  if (at == MAP_FAILED) die("the device's pages cannot be mapped");
  base_ = static_cast<std::byte*>(at);
  used_.resize(kAll);
  mlx5_ib_clock_info info = {};
  info.cycles = cycles();
  info.nsec = info.cycles * 64 / kCyclesPer64Ns;
  info.mult = kMultiplier;
  info.shift = kShift;
  info.mask = ~0ULL;
  info.overflow_period = 1'000'000'000;
  std::memcpy(base_ + kClockInfo * kPage, &info, sizeof info);
  show_clock();
}

void* Pages::map(std::uint32_t page, std::size_t bytes, int protection) const {
  return reinterpret_cast<void*>(::syscall(SYS_mmap, nullptr, bytes, protection, MAP_SHARED, file_,
                                           static_cast<long>(page * kPage)));
}

std::uint32_t Pages::allocate(std::uint32_t first, std::uint32_t end, std::uint32_t count) {
  std::uint32_t run = 0;
  for (std::uint32_t page = first; page < end; ++page) {
    run = used_[page] ? 0 : run + 1;
    if (run < count) continue;
    for (std::uint32_t i = 0; i < count; ++i) used_[page - i] = true;
    std::memset(at(page - count + 1), 0, count * kPage);
    return page - count + 1;
  }
  return 0;
}

std::uint32_t Pages::allocate_memory(std::uint32_t count) {
  return allocate(kFirstMemory, kAll, count);
}

std::uint32_t Pages::allocate_uar() {
  return allocate(kFirstUar, kFirstMemory, 1);
}

void Pages::release(std::uint32_t page, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) used_[page + i] = false;
}

std::uint64_t Pages::cycles() {
  return static_cast<std::uint64_t>(now_ns()) * kCyclesPer64Ns / 64;
}

void Pages::show_clock() {
  const std::uint64_t now = cycles();
  auto* const words = reinterpret_cast<std::uint32_t*>(base_ + kClock * kPage);
  write_record(words, static_cast<std::uint32_t>(now >> 32));
  write_record(words + 1, static_cast<std::uint32_t>(now));
}

}  // namespace soft_mlx5
