#pragma once
// Whether a device has the queues that a run needs. Tried on the device, because drivers do not
// report what they refuse: extended QPs (ibv_create_qp_ex with send_ops_flags) are missing in mlx4,
// bnxt_re, irdma, erdma and qedr, shared receive queues in irdma.

#include <string>

#include "backends/ibverbs/device.h"
#include "core/base/result.h"

namespace latchlab::ib {

struct QueueKinds {
  bool extended_qps = false;  // posted to by ibv_wr_*, else by ibv_post_send
  bool extended_cqs = false;  // polled by ibv_start_poll, else by ibv_poll_cq
  // "work requests by ibv_post_send, completions by ibv_poll_cq"; empty: both are extended.
  std::string text() const;
};

// Makes a CQ, a shared receive queue and two RC QPs that are connected to each other, and does a
// SEND, a WRITE and a READ. Takes milliseconds. The error names what the device refused.
Result<QueueKinds> try_queues(const Device& device);

}  // namespace latchlab::ib
