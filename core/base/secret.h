#pragma once
// Random numbers that a network peer cannot guess, from the kernel (getrandom). No simulated event
// depends on them (those use core/base/random.h).

#include <cstddef>
#include <cstdint>
#include <span>

namespace latchlab {

// Fills `bytes`. False: the kernel has no random numbers.
[[nodiscard]] bool fill_with_secret(std::span<std::byte> bytes);

// Ends the program if the kernel has no random numbers.
std::uint64_t secret_u64();

}  // namespace latchlab
