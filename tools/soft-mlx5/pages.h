#pragma once
// Pages of the device that software maps: the clock, UARs, device memory. The device has its own
// mapping, so that it can access pages that software has unmapped.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace soft_mlx5 {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::uint64_t kUarOffset = 1ULL << 40;  // mmap offset of the UAR pages

class Pages {
 public:
  static constexpr std::uint32_t kClock = 0;
  static constexpr std::uint32_t kClockInfo = 1;
  static constexpr std::uint32_t kFirstUar = 16;
  static constexpr std::uint32_t kUars = 2048;
  static constexpr std::uint32_t kFirstMemory = kFirstUar + kUars;
  static constexpr std::uint32_t kMemoryPages = 64;  // 256 KiB, as on a ConnectX-5
  static constexpr std::uint32_t kAll = kFirstMemory + kMemoryPages;

  void prepare();  // idempotent
  std::byte* at(std::uint32_t page) { return base_ + page * kPage; }
  // Maps the pages for software, from `page` on; on failure MAP_FAILED and errno.
  void* map(std::uint32_t page, std::size_t bytes, int protection) const;

  // The first of `count` free pages; 0: there are too few.
  std::uint32_t allocate_memory(std::uint32_t count);
  std::uint32_t allocate_uar();
  void release(std::uint32_t page, std::uint32_t count);

  // Cycles of the device's clock, 6.4 ns each.
  static std::uint64_t cycles();
  void show_clock();

 private:
  std::uint32_t allocate(std::uint32_t first, std::uint32_t end, std::uint32_t count);
  int file_ = -1;
  std::byte* base_ = nullptr;
  std::vector<bool> used_;
};

}  // namespace soft_mlx5
