#pragma once
// A node's registered memory for backends that run in one process. A page is allocated when it is
// first touched, and filled with the initial image, so that a table of billions of locks costs only
// the pages in use.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/check.h"

namespace latchlab {

class SparseMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 512;
  static constexpr std::uint64_t kPageWords = kPageBytes / 8;
  // Fills one fresh, zeroed page that starts at `offset`.
  using Fill = std::function<void(std::uint64_t offset, std::span<std::uint64_t> page)>;

  SparseMemory() = default;
  SparseMemory(std::uint64_t bytes, Fill fill) : bytes_(bytes), fill_(std::move(fill)) {
    chunks_.resize(bytes / kChunkBytes + 1);
  }

  std::uint64_t bytes() const { return bytes_; }
  bool contains(std::uint64_t offset, std::uint64_t bytes) const {
    return offset < bytes_ && bytes <= bytes_ - offset;
  }
  // Adds zeroed memory at the end, and returns its offset.
  std::uint64_t grow(std::uint64_t bytes) {
    const std::uint64_t start = (bytes_ + 63) / 64 * 64;
    bytes_ = start + bytes;
    chunks_.resize(bytes_ / kChunkBytes + 1);
    return start;
  }

  // The word at an offset within the memory that is a multiple of 8.
  std::uint64_t& word(std::uint64_t offset) {
    LATCHLAB_CHECK(offset % 8 == 0 && offset < bytes_, "address outside registered memory");
    const Chunk* const chunk = chunks_[offset / kChunkBytes].get();
    Page* page = chunk != nullptr ? (*chunk)[offset / kPageBytes % kChunkPages].get() : nullptr;
    if (page == nullptr) [[unlikely]]
      page = &first_touch(offset);
    return (*page)[offset % kPageBytes / 8];
  }

 private:
  static constexpr std::uint64_t kChunkPages = 64;
  static constexpr std::uint64_t kChunkBytes = kPageBytes * kChunkPages;
  using Page = std::array<std::uint64_t, kPageWords>;
  using Chunk = std::array<std::unique_ptr<Page>, kChunkPages>;

  // A separate function, so that the path of nearly every access stays short.
  [[gnu::noinline]] Page& first_touch(std::uint64_t offset) {
    std::unique_ptr<Chunk>& chunk = chunks_[offset / kChunkBytes];
    if (!chunk) chunk = std::make_unique<Chunk>();
    std::unique_ptr<Page>& page = (*chunk)[offset / kPageBytes % kChunkPages];
    page = fresh_page(offset / kPageBytes * kPageBytes);
    return *page;
  }

  std::unique_ptr<Page> fresh_page(std::uint64_t start) const {
    auto page = std::make_unique<Page>();
    page->fill(0);
    if (fill_) fill_(start, std::span<std::uint64_t>(*page));
    return page;
  }

  std::uint64_t bytes_ = 0;
  Fill fill_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace latchlab
