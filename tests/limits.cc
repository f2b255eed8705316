// Linked into the test programs: a test that fills the memory (a search that never closes on
// itself, say) ends with std::bad_alloc, and takes neither the machine nor the other tests along.

#include <sys/resource.h>

#include <cstdlib>
#include <string_view>

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LATCHLAB_SHADOW_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LATCHLAB_SHADOW_MEMORY 1
#endif
#endif

#ifndef LATCHLAB_SHADOW_MEMORY  // which takes terabytes of address space
const int kLimited = [] {
  const char* const world = std::getenv("LATCHLAB_WORLD");
  if (world != nullptr && std::string_view(world) == "ibverbs") return 0;  // reserves what may grow
  constexpr rlim_t kBytes = 8ULL << 30;
  const rlimit limit = {kBytes, kBytes};
  return ::setrlimit(RLIMIT_AS, &limit);
}();
#endif

}  // namespace
