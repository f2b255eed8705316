#pragma once
// Random numbers that a peer on the network cannot guess: the kernel's (getrandom). Nothing that
// decides a simulated event comes from here (core/base/random.h is for that).

#include <cstddef>
#include <cstdint>
#include <span>

namespace latchlab {

// Fills `bytes`; false if the kernel has none to give.
[[nodiscard]] bool fill_with_secret(std::span<std::byte> bytes);

// Ends the program if the kernel has none to give.
std::uint64_t secret_u64();

}  // namespace latchlab
