#pragma once
// The mlx5 driver's interface to the DC transport (dc.h). On devices of other drivers the functions
// return null with errno EOPNOTSUPP.

#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/ibverbs/wqe.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_ah;
struct ibv_context;
struct ibv_qp;
struct ibv_qp_ex;
struct ibv_qp_init_attr_ex;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

// The new target is in RESET; null: see errno. `wanted` has a type, a PD and queues.
ibv_qp* mlx5_create_target(ibv_context* context, ibv_qp_init_attr_ex& wanted, std::uint64_t key);
// Takes raw work queue entries too, as mlx5_create_rc does.
ibv_qp* mlx5_create_initiator(ibv_context* context, ibv_qp_init_attr_ex& wanted);

// Sets the target of the request that was built last; not for raw entries.
void mlx5_aim(ibv_qp_ex* initiator, ibv_ah* path, std::uint32_t target, std::uint64_t key);
// The address vector of a target, for raw entries. Layout (infiniband/mlx5dv.h, mlx5_wqe_av), big
// endian: key:64 | 1:1 0:7 number:24 | rate and service level:8, loopback and source LID:8, LID:16
// | 0:32, MAC:48, traffic class:8, hop limit:8, GRH, source GID and flow:32 | GID:128. False: not
// an mlx5 path.
bool mlx5_vector(ibv_ah* path, std::uint32_t target, std::uint64_t key,
                 std::span<std::byte, kAddressVectorBytes> vector);

}  // namespace latchlab::ib
