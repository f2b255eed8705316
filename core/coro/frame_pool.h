#pragma once
// Coroutine frames come from here: size classes of 16 bytes with free lists, one pool per thread,
// so that a frame made and dropped in a loop costs no call of malloc. Under AddressSanitizer
// frames go to the ordinary heap, so that a use after destruction is seen.

#include <cstddef>

namespace latchlab {

void* allocate_frame(std::size_t bytes);
void free_frame(void* frame, std::size_t bytes) noexcept;

// While one exists, this thread's frames come from operator new and go to operator delete, for
// whoever must know where every byte of a coroutine lies. No other frame may be freed meanwhile.
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
