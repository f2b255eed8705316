// Replaces mlx5.cc in builds without libmlx5: mlx5 devices are used through libibverbs only.

#include <cerrno>

#include "backends/ibverbs/mlx5.h"
#include "core/base/check.h"

namespace latchlab::ib {

std::optional<Mlx5Facts> mlx5_facts(ibv_context* /*context*/) {
  return std::nullopt;
}

ibv_qp* mlx5_create_rc(ibv_context* /*context*/, ibv_qp_init_attr_ex& /*wanted*/) {
  errno = EOPNOTSUPP;
  return nullptr;
}

std::uint32_t mlx5_send_blocks(ibv_qp* /*qp*/) {
  return 0;
}

const void* mlx5_doorbell(ibv_qp* /*qp*/) {
  return nullptr;
}

void mlx5_post_raw(ibv_qp_ex* /*qp*/, const void* /*entry*/) {
  LATCHLAB_CHECK(false, "a queue entry for a QP that cannot have been made");
}

ibv_qp* mlx5_create_target(ibv_context* /*context*/, ibv_qp_init_attr_ex& /*wanted*/,
                           std::uint64_t /*key*/) {
  errno = EOPNOTSUPP;
  return nullptr;
}

ibv_qp* mlx5_create_initiator(ibv_context* /*context*/, ibv_qp_init_attr_ex& /*wanted*/) {
  errno = EOPNOTSUPP;
  return nullptr;
}

void mlx5_aim(ibv_qp_ex* /*initiator*/, ibv_ah* /*path*/, std::uint32_t /*target*/,
              std::uint64_t /*key*/) {
  LATCHLAB_CHECK(false, "an initiator that cannot have been made");
}

bool mlx5_vector(ibv_ah* /*path*/, std::uint32_t /*target*/, std::uint64_t /*key*/,
                 std::span<std::byte, kAddressVectorBytes> /*vector*/) {
  return false;
}

}  // namespace latchlab::ib
