#include "core/coro/frame_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define LATCHLAB_PLAIN_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LATCHLAB_PLAIN_FRAMES 1
#endif
#endif

namespace latchlab {

namespace {

thread_local bool plain_frames = false;

}  // namespace

PlainFrames::PlainFrames() : before_(std::exchange(plain_frames, true)) {}
PlainFrames::~PlainFrames() {
  plain_frames = before_;
}

#ifdef LATCHLAB_PLAIN_FRAMES

void* allocate_frame(std::size_t bytes) {
  return ::operator new(bytes);
}
void free_frame(void* frame, std::size_t bytes) noexcept {
  ::operator delete(frame, bytes);
}

#else

namespace {

constexpr std::size_t kStep = 16;      // the alignment of malloc
constexpr std::size_t kClasses = 256;  // up to 4 KiB; larger frames go to the heap
constexpr std::size_t kFirstChunk = 1 << 16;
constexpr std::size_t kLargestChunk = 1 << 21;  // a huge page

struct FreeFrame {
  FreeFrame* next;
};

class Pool {
 public:
  void* take(std::size_t size_class) {
    FreeFrame*& head = free_[size_class];
    if (head == nullptr) refill(size_class);
    FreeFrame* frame = head;
    head = frame->next;
    return frame;
  }

  void give(void* memory, std::size_t size_class) noexcept {
    free_[size_class] = new (memory) FreeFrame{free_[size_class]};
  }

 private:
  // A separate function, because it is rarely called.
  [[gnu::noinline]] void refill(std::size_t size_class) {
    const std::size_t bytes = (size_class + 1) * kStep;
    std::size_t& chunk = next_chunk_[size_class];
    chunk = chunk == 0 ? kFirstChunk : std::min(chunk * 2, kLargestChunk);
    auto* const memory = static_cast<std::byte*>(::operator new (chunk, std::align_val_t{chunk}));
    if (chunk == kLargestChunk) ::madvise(memory, chunk, MADV_HUGEPAGE);  // may have no effect
    for (std::size_t at = 0; at + bytes <= chunk; at += bytes) give(memory + at, size_class);
  }

  std::array<FreeFrame*, kClasses> free_ = {};
  std::array<std::size_t, kClasses> next_chunk_ = {};  // bytes; chunks are never freed
};

// Pools of ended threads, for later threads: hardware runs create threads for each repeat. Never
// destroyed, nor are the pools, because destructors that run late may free frames.
struct IdlePools {
  std::mutex mutex;
  std::vector<Pool*> pools;
};
IdlePools& idle() {
  static IdlePools* const instance = new IdlePools;
  return *instance;
}

Pool* borrow() {
  const std::lock_guard guard(idle().mutex);
  if (idle().pools.empty()) return new Pool;
  Pool* const pool = idle().pools.back();
  idle().pools.pop_back();
  return pool;
}

struct Loan {
  Pool* const pool = borrow();
  Loan() = default;
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    const std::lock_guard guard(idle().mutex);
    idle().pools.push_back(pool);
  }
};

// This thread's pool. It outlives the loan, for frames that are freed later.
constinit thread_local Pool* own_pool = nullptr;

[[gnu::noinline]] void take_loan() {
  thread_local const Loan loan;
  own_pool = loan.pool;
}

Pool& pool() {
  if (own_pool == nullptr) take_loan();
  return *own_pool;
}

}  // namespace

void* allocate_frame(std::size_t bytes) {
  const std::size_t size_class = (bytes - 1) / kStep;
  if (plain_frames || size_class >= kClasses) return ::operator new(bytes);
  return pool().take(size_class);
}

void free_frame(void* frame, std::size_t bytes) noexcept {
  const std::size_t size_class = (bytes - 1) / kStep;
  if (plain_frames || size_class >= kClasses) {
    ::operator delete(frame, bytes);
  } else {
    pool().give(frame, size_class);
  }
}

#endif

}  // namespace latchlab
