#pragma once
// Memory that software and the device share without a lock: big-endian fields, and words that
// either side may change at any time. These accesses are hidden from ThreadSanitizer, because
// libmlx5, on the other side, is not instrumented either.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__clang__)
#if __has_feature(thread_sanitizer)  // no_sanitize does not hide atomics from it
#define SOFT_MLX5_SHARED __attribute__((disable_sanitizer_instrumentation, noinline))
#endif
#endif
#ifndef SOFT_MLX5_SHARED
#define SOFT_MLX5_SHARED __attribute__((no_sanitize("thread"), noinline))
#endif

namespace soft_mlx5 {

inline std::uint16_t be16(std::uint16_t v) {
  return __builtin_bswap16(v);
}
inline std::uint32_t be32(std::uint32_t v) {
  return __builtin_bswap32(v);
}
inline std::uint64_t be64(std::uint64_t v) {
  return __builtin_bswap64(v);
}

template <class T>
T load(const void* at) {  // of memory that only the device uses
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline std::uint16_t load_be16(const void* at) {
  return be16(load<std::uint16_t>(at));
}
inline std::uint32_t load_be32(const void* at) {
  return be32(load<std::uint32_t>(at));
}
inline std::uint64_t load_be64(const void* at) {
  return be64(load<std::uint64_t>(at));
}
template <class T>
void store(void* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
inline void store_be16(void* at, std::uint16_t v) {
  store(at, be16(v));
}
inline void store_be32(void* at, std::uint32_t v) {
  store(at, be32(v));
}
inline void store_be64(void* at, std::uint64_t v) {
  store(at, be64(v));
}

// Access to a doorbell record: writes before write_record are visible after read_record.
std::uint32_t read_record(const std::uint32_t* at);
void write_record(std::uint32_t* at, std::uint32_t value);
// Returns the word in a register of a UAR page and sets it to 0.
std::uint64_t take_register(std::uint64_t* at);
// Aligned 8-byte words are never torn.
void copy_shared(void* to, const void* from, std::size_t bytes);
// Writes a queue entry; its last byte, which hands the entry over, is written last.
void publish_entry(std::byte* to, const std::byte* from, std::size_t bytes);

// Ends the process with a message: the caller of the device has broken a rule whose violation
// hardware answers with silent corruption.
[[noreturn]] __attribute__((format(printf, 1, 2))) void die(const char* format, ...);

std::int64_t now_ns();  // CLOCK_MONOTONIC

}  // namespace soft_mlx5
