#include "backends/ibverbs/mlx5_dc.h"

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include <cstring>

namespace latchlab::ib {

namespace {

constexpr std::uint32_t kExtendedVector = 1U << 31;

}  // namespace

ibv_qp* mlx5_create_target(ibv_context* context, ibv_qp_init_attr_ex& wanted, std::uint64_t key) {
  mlx5dv_qp_init_attr driver = {};
  driver.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
  driver.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT;
  driver.dc_init_attr.dct_access_key = key;
  return mlx5dv_create_qp(context, &wanted, &driver);
}

ibv_qp* mlx5_create_initiator(ibv_context* context, ibv_qp_init_attr_ex& wanted) {
  mlx5dv_qp_init_attr driver = {};
  driver.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS |
                     MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
  driver.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
  driver.create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE;
  driver.send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE;
  return mlx5dv_create_qp(context, &wanted, &driver);
}

void mlx5_aim(ibv_qp_ex* initiator, ibv_ah* path, std::uint32_t target, std::uint64_t key) {
  mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(initiator), path, target, key);
}

bool mlx5_vector(ibv_ah* path, std::uint32_t target, std::uint64_t key,
                 std::span<std::byte, kAddressVectorBytes> vector) {
  mlx5dv_ah told = {};
  mlx5dv_obj objects = {};
  objects.ah.in = path;
  objects.ah.out = &told;
  if (mlx5dv_init_obj(&objects, MLX5DV_OBJ_AH) != 0) return false;
  mlx5_wqe_av made = *told.av;
  made.key.dc_key = htobe64(key);
  made.dqp_dct |= htobe32(target | kExtendedVector);
  static_assert(sizeof(made) == kAddressVectorBytes);
  std::memcpy(vector.data(), &made, sizeof(made));
  return true;
}

}  // namespace latchlab::ib
