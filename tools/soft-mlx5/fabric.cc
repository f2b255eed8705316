#include "tools/soft-mlx5/fabric.h"

namespace soft_mlx5 {

void Fabric::join() {}
bool Fabric::is_alive(std::uint32_t number) {
  return is_here(number);
}
void Fabric::send(const Request&) {}
void Fabric::send(std::uint32_t, const Reply&) {}

}  // namespace soft_mlx5
