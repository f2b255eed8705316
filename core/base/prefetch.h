#pragma once
// Prefetches memory before it is needed. With thousands of simulated clients most of the memory
// that an event touches has left the cache since its client's last event. Fetching it one line
// after the other costs several times as much as the event itself.

#include <cstddef>

namespace latchlab {

inline constexpr std::size_t kCacheLine = 64;

inline void prefetch_bytes(const void* start, std::size_t bytes) {
  const auto* at = static_cast<const char*>(start);
  for (std::size_t line = 0; line < bytes; line += kCacheLine) __builtin_prefetch(at + line);
}
template <class T>
void prefetch(const T& object) {
  prefetch_bytes(&object, sizeof(T));
}

}  // namespace latchlab
