// Linked into the test programs: a test that fills the memory (such as a search that does not
// terminate) ends with std::bad_alloc, and harms neither the machine nor other tests.

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

#ifndef LATCHLAB_SHADOW_MEMORY  // shadow memory takes terabytes of address space
const int kLimited = [] {
  const char* const world = std::getenv("LATCHLAB_WORLD");
  // A world on hardware reserves memory that may grow.
  if (world != nullptr && std::string_view(world) == "ibverbs") return 0;
  constexpr rlim_t kBytes = 8ULL << 30;
  const rlimit limit = {kBytes, kBytes};
  return ::setrlimit(RLIMIT_AS, &limit);
}();
#endif

}  // namespace
