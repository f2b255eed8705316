#pragma once
// Allocates coroutine frames: size classes of 16 bytes with free lists, one pool per thread, so
// that a frame allocated and freed in a loop needs no call of malloc. Under AddressSanitizer frames
// come from the ordinary heap, so that it detects a use after destruction.

#include <cstddef>

namespace latchlab {

void* allocate_frame(std::size_t bytes);
void free_frame(void* frame, std::size_t bytes) noexcept;

// While one exists, this thread's frames come from operator new and go to operator delete, for code
// that must know the location of every byte of a coroutine. Meanwhile no other frame may be freed.
class PlainFrames {
 public:
  PlainFrames();
  ~PlainFrames();
  PlainFrames(const PlainFrames&) = delete;
  PlainFrames& operator=(const PlainFrames&) = delete;

 private:
  bool before_;
};

}  // namespace latchlab
