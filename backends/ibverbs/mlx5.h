#pragma once
// What the mlx5 driver offers beyond libibverbs: the capabilities of its firmware, and raw work
// queue entries. Not available on devices of other drivers.
//
// The library is linked, not opened at run time: on an mlx5 device libibverbs loads the same file
// as its driver, and Debian ships it with all other drivers (ibverbs-providers), so that a machine
// with any RDMA device has it. mlx5_absent.cc is for builds without it.

#include <cstdint>
#include <optional>

#include "backends/ibverbs/device.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
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

}  // namespace latchlab::ib
