#pragma once
// What the mlx5 driver offers beyond libibverbs' own verbs: what its firmware can do, and queue
// entries that are posted as they are. On other drivers' devices none of it is there.
//
// The library is linked, not opened at run time: on an mlx5 device libibverbs loads the very same
// file as its driver, and Debian ships it with all other drivers (ibverbs-providers), so that a
// machine with any RDMA device has it. mlx5_absent.cc is for builds without it.

#include <cstdint>
#include <optional>

#include "backends/ibverbs/device.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_qp;
struct ibv_qp_ex;
struct ibv_qp_init_attr_ex;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

// None: another driver's device, or its firmware does not answer.
std::optional<Mlx5Facts> mlx5_facts(ibv_context* context);

// An RC QP that also takes queue entries as they are; null, and errno. Replies of atomics come to
// where they are asked for, never inside a completion, where libmlx5 would lose those of opcodes
// that it does not know.
ibv_qp* mlx5_create_rc(ibv_context* context, ibv_qp_init_attr_ex& wanted);

// Where its doorbell is; null: not known.
const void* mlx5_doorbell(ibv_qp* qp);

// How many blocks of 64 bytes the QP's send queue holds. libmlx5 counts what is outstanding by
// requests, as though each had the length that it has planned for, and overwrites what is not yet
// executed where they are longer.
std::uint32_t mlx5_send_blocks(ibv_qp* qp);

// Between ibv_wr_start and ibv_wr_complete, once wr_id is set.
void mlx5_post_raw(ibv_qp_ex* qp, const void* entry);

}  // namespace latchlab::ib
