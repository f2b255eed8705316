#pragma once
// What the mlx5 driver offers beyond libibverbs: the capabilities of its firmware, and raw work
// queue entries. Not available on devices of other drivers.
//
// The library is linked, not opened at run time: on an mlx5 device libibverbs loads the same file
// as its driver, and Debian ships it with all other drivers (ibverbs-providers), so that a machine
// with any RDMA device has it. mlx5_absent.cc is for builds without it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "backends/ibverbs/device.h"
#include "backends/ibverbs/wqe.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_ah;
struct ibv_qp;
struct ibv_qp_ex;
struct ibv_qp_init_attr_ex;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

// nullopt: the device has another driver, or its firmware does not answer.
std::optional<Mlx5Facts> mlx5_facts(ibv_context* context);

// Makes an RC QP that also takes raw work queue entries; null: see errno. Replies of atomics are
// written to the requested address, never into a completion, where libmlx5 would lose those of
// opcodes that it does not know.
ibv_qp* mlx5_create_rc(ibv_context* context, ibv_qp_init_attr_ex& wanted);

// The QP's doorbell register; null: not known.
const void* mlx5_doorbell(ibv_qp* qp);

// The number of 64-byte blocks in the QP's send queue. libmlx5 counts outstanding requests, as
// though each had the length that it planned for, and so overwrites entries that are not executed
// yet if requests are longer.
std::uint32_t mlx5_send_blocks(ibv_qp* qp);

// Between ibv_wr_start and ibv_wr_complete, after wr_id is set.
void mlx5_post_raw(ibv_qp_ex* qp, const void* entry);

// ---- the DC transport (dc.h) ----

// On devices of other drivers these return null with errno EOPNOTSUPP.

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
