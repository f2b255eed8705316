#pragma once
// Slots of the operations and waits of one host. They have stable addresses and outlive the
// coroutines that use them. Each operation has 16 registered bytes for the result from the RNIC,
// and a longer buffer while it needs one.

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backends/ibverbs/actor.h"
#include "core/base/check.h"

namespace latchlab::ib {

// Registered buffers in size classes from 64 bytes to 16 KiB, each four times the one below.
class BufferPool {
 public:
  explicit BufferPool(const Device& device) : device_(device) {}

  // At least `bytes` long; the word that contains the last byte is zeroed.
  Buffer take(std::uint32_t bytes) {
    LATCHLAB_CHECK(bytes > 0 && bytes <= kMaxReadBytes, "no buffer is so long");
    std::uint8_t size = 0;
    while (kShortest << 2 * size < bytes) ++size;
    if (free_[size].empty()) grow(size);
    const Buffer buffer = free_[size].back();
    free_[size].pop_back();
    buffer.words[(bytes - 1) / 8] = 0;
    return buffer;
  }
  void give(const Buffer& buffer) { free_[buffer.size].push_back(buffer); }

 private:
  static constexpr std::uint32_t kShortest = 64;
  static constexpr std::uint32_t kClasses = 5;
  static_assert(kShortest << 2 * (kClasses - 1) == kMaxReadBytes);
  static constexpr std::uint32_t kChunkWords = 64 * 1024 / 8;
  struct Chunk {
    alignas(64) std::array<std::uint64_t, kChunkWords> words;
    Registration registered;
  };

  void grow(std::uint8_t size) {
    auto chunk = std::make_unique<Chunk>();
    auto made = Registration::make(device_, chunk->words.data(), sizeof(chunk->words), false);
    LATCHLAB_CHECK(made.ok(), made.ok() ? "" : made.error().text());
    chunk->registered = std::move(made).value();
    const std::uint32_t words = (kShortest << 2 * size) / 8;
    for (std::uint32_t at = 0; at < kChunkWords; at += words)
      free_[size].push_back({&chunk->words[at], chunk->registered.local_key(), size});
    chunks_.push_back(std::move(chunk));
  }

  const Device& device_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::array<std::vector<Buffer>, kClasses> free_;
};

class OperationPool {
 public:
  explicit OperationPool(const Device& device) : device_(device), buffers_(device) {}

  IbOperation& take() {
    if (free_.empty()) grow();
    IbOperation& op = *free_.back();
    free_.pop_back();
    op.clear();
    op.pieces = op.retries = 0;
    op.connection = nullptr;
    op.posted = false;
    return op;
  }
  void give(IbOperation& op) {
    ++op.generation;
    if (op.buffer.words != nullptr) buffers_.give(std::exchange(op.buffer, {}));
    free_.push_back(&op);
  }
  // A buffer for the result of this operation, until its slot is given back.
  std::uint64_t* lend(IbOperation& op, std::uint32_t bytes) {
    op.buffer = buffers_.take(bytes);
    return op.buffer.words;
  }
  static std::uint64_t ticket_of(const IbOperation& op) {
    return static_cast<std::uint64_t>(op.index) << 32 | op.generation;
  }
  // Null: that operation is over.
  IbOperation* find(std::uint64_t ticket) {
    const std::uint64_t index = ticket >> 32;
    if (index >= kChunk * chunks_.size()) return nullptr;
    IbOperation& op = chunks_[index / kChunk]->slots[index % kChunk];
    return op.generation == static_cast<std::uint32_t>(ticket) ? &op : nullptr;
  }

 private:
  static constexpr std::uint64_t kChunk = 256;
  struct Chunk {
    std::array<IbOperation, kChunk> slots;
    alignas(64) std::array<Words, kChunk> landings;
    Registration registered;
  };

  void grow() {
    auto chunk = std::make_unique<Chunk>();
    auto made = Registration::make(device_, chunk->landings.data(), sizeof(chunk->landings), false);
    LATCHLAB_CHECK(made.ok(), made.ok() ? "" : made.error().text());
    chunk->registered = std::move(made).value();
    for (std::uint32_t i = kChunk; i-- > 0;) {
      IbOperation& op = chunk->slots[i];
      op.index = static_cast<std::uint32_t>(kChunk * chunks_.size()) + i;
      op.landing = &chunk->landings[i];
      op.landing_key = chunk->registered.local_key();
      free_.push_back(&op);
    }
    chunks_.push_back(std::move(chunk));
  }

  const Device& device_;
  BufferPool buffers_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<IbOperation*> free_;
};

class WaitPool {
 public:
  IbWait& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<IbWait>());
      free_.push_back(all_.back().get());
    }
    IbWait& wait = *free_.back();
    free_.pop_back();
    wait.clear();
    wait.armed = false;
    return wait;
  }
  void give(IbWait& wait) {
    ++wait.generation;
    free_.push_back(&wait);
  }

 private:
  std::vector<std::unique_ptr<IbWait>> all_;
  std::vector<IbWait*> free_;
};

}  // namespace latchlab::ib
