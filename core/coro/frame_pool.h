#pragma once
// Coroutine frames come from here: size classes of 16 bytes with free lists, one pool per thread,
// so that a frame made and dropped in a loop costs no call of malloc. Under AddressSanitizer
// frames go to the ordinary heap, so that a use after destruction is seen.

#include <cstddef>

namespace latchlab {

void* allocate_frame(std::size_t bytes);
void free_frame(void* frame, std::size_t bytes) noexcept;

}  // namespace latchlab
