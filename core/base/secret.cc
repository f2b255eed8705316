#include "core/base/secret.h"

#include <sys/random.h>

#include <cerrno>

#include "core/base/check.h"

namespace latchlab {

bool fill_with_secret(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

std::uint64_t secret_u64() {
  std::uint64_t made = 0;
  const bool filled = fill_with_secret(std::as_writable_bytes(std::span(&made, 1)));
  LATCHLAB_CHECK(filled, "the kernel gives no random numbers (getrandom)");
  return made;
}

}  // namespace latchlab
