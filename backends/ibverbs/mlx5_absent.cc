// In the place of mlx5.cc where libmlx5 is not installed: such devices are used by their verbs.

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

void mlx5_post_raw(ibv_qp_ex* /*qp*/, const void* /*entry*/) {
  LATCHLAB_CHECK(false, "a queue entry for a QP that cannot have been made");
}

}  // namespace latchlab::ib
