#include "tools/soft-mlx5/bits.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace soft_mlx5 {

namespace {

template <class T>
SOFT_MLX5_SHARED void copy_words(std::byte*& to, const std::byte*& from, std::size_t& bytes) {
  for (; bytes >= sizeof(T); bytes -= sizeof(T), to += sizeof(T), from += sizeof(T)) {
    const T word = __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_RELAXED);
    __atomic_store_n(reinterpret_cast<T*>(to), word, __ATOMIC_RELAXED);
  }
}

bool aligned(const void* a, const void* b, std::size_t to) {
  return (reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) % to == 0;
}

}  // namespace

SOFT_MLX5_SHARED std::uint32_t read_record(const std::uint32_t* at) {
  return be32(__atomic_load_n(at, __ATOMIC_ACQUIRE));
}

SOFT_MLX5_SHARED void write_record(std::uint32_t* at, std::uint32_t value) {
  __atomic_store_n(at, be32(value), __ATOMIC_RELEASE);
}

SOFT_MLX5_SHARED std::uint64_t take_register(std::uint64_t* at) {
  if (__atomic_load_n(at, __ATOMIC_RELAXED) == 0) return 0;
  return __atomic_exchange_n(at, 0, __ATOMIC_ACQ_REL);
}

SOFT_MLX5_SHARED void copy_shared(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  if (aligned(out, in, 8)) copy_words<std::uint64_t>(out, in, bytes);
  if (aligned(out, in, 4)) copy_words<std::uint32_t>(out, in, bytes);
  copy_words<unsigned char>(out, in, bytes);
}

SOFT_MLX5_SHARED void publish_entry(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_shared(to, from, bytes - 4);
  for (std::size_t i = bytes - 4; i + 1 < bytes; ++i) to[i] = from[i];
  __atomic_store_n(reinterpret_cast<unsigned char*>(to + bytes - 1),
                   static_cast<unsigned char>(from[bytes - 1]), __ATOMIC_RELEASE);
}

void die(const char* format, ...) {
  std::fflush(stdout);
  std::fputs("soft-mlx5: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputs("\n", stderr);
  std::abort();
}

std::int64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace soft_mlx5
