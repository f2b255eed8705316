#pragma once
// Faults that the run asked for, drawn from its seed: the same order of requests gets the same
// faults.

#include <cstdint>

namespace soft_mlx5 {

enum class Fault : std::uint8_t { rnr, flush, retry, loss, dct };
bool draw(Fault fault);

}  // namespace soft_mlx5
