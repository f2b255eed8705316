// RC QPs: building and posting work requests.

#include <infiniband/verbs.h>

#include "backends/ibverbs/mlx5.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wqe.h"
#include "core/base/check.h"
#include "core/base/small_vector.h"

namespace latchlab::ib {

namespace {

constexpr std::size_t kPlainAtOnce = 4;  // work requests that are posted without an allocation

ibv_wr_opcode opcode_of(WorkRequest::Kind kind) {
  switch (kind) {
    case WorkRequest::Kind::read:
      return IBV_WR_RDMA_READ;
    case WorkRequest::Kind::write:
      return IBV_WR_RDMA_WRITE;
    case WorkRequest::Kind::cas:
      return IBV_WR_ATOMIC_CMP_AND_SWP;
    case WorkRequest::Kind::faa:
      return IBV_WR_ATOMIC_FETCH_AND_ADD;
    case WorkRequest::Kind::send:
      return IBV_WR_SEND;
    case WorkRequest::Kind::masked_cas:
    case WorkRequest::Kind::masked_faa:
      break;
  }
  LATCHLAB_CHECK(false, "masked atomics are of mlx5, which builds its work requests in place");
  return IBV_WR_SEND;
}

// The same as build(), for ibv_post_send. The caller sets `sg_list` and `next` when all requests
// have their final addresses.
struct PlainRequest {
  ibv_sge where = {};
  ibv_send_wr request = {};
};
PlainRequest plain_of(const WorkRequest& from) {
  PlainRequest made;
  made.where = {reinterpret_cast<std::uint64_t>(from.local), from.bytes, from.local_key};
  ibv_send_wr& request = made.request;
  request.wr_id = from.id;
  request.num_sge = 1;
  request.opcode = opcode_of(from.kind);
  if (from.signalled) request.send_flags |= IBV_SEND_SIGNALED;
  if (from.fenced) request.send_flags |= IBV_SEND_FENCE;
  if (from.by_value) request.send_flags |= IBV_SEND_INLINE;
  switch (from.kind) {
    case WorkRequest::Kind::cas:
      request.wr.atomic = {from.remote, from.compare, from.operand, from.remote_key};
      break;
    case WorkRequest::Kind::faa:
      request.wr.atomic = {from.remote, from.operand, 0, from.remote_key};
      break;
    case WorkRequest::Kind::send:
      break;
    default:
      request.wr.rdma = {from.remote, from.remote_key};
  }
  return made;
}

}  // namespace

std::uint64_t send_operations(const Device& device) {
  const std::uint64_t operations =
      IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND;
  if (!device.facts().atomics) return operations;
  return operations | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
}

void build(ibv_qp_ex* qp, const WorkRequest& request, std::span<const std::byte> address) {
  qp->wr_id = request.id;
  if (request.masked != nullptr) {
    const Wqe entry = encode_masked(request, qp->qp_base.qp_num, address);
    return mlx5_post_raw(qp, entry.bytes.data());
  }
  qp->wr_flags = 0;
  if (request.signalled) qp->wr_flags |= IBV_SEND_SIGNALED;
  if (request.fenced) qp->wr_flags |= IBV_SEND_FENCE;
  if (request.by_value) qp->wr_flags |= IBV_SEND_INLINE;  // soft-RoCE needs the flag
  switch (request.kind) {
    case WorkRequest::Kind::read:
      ibv_wr_rdma_read(qp, request.remote_key, request.remote);
      break;
    case WorkRequest::Kind::write:
      ibv_wr_rdma_write(qp, request.remote_key, request.remote);
      break;
    case WorkRequest::Kind::cas:
      ibv_wr_atomic_cmp_swp(qp, request.remote_key, request.remote, request.compare,
                            request.operand);
      break;
    case WorkRequest::Kind::faa:
      ibv_wr_atomic_fetch_add(qp, request.remote_key, request.remote, request.operand);
      break;
    case WorkRequest::Kind::send:
      ibv_wr_send(qp);
      break;
    case WorkRequest::Kind::masked_cas:
    case WorkRequest::Kind::masked_faa:
      LATCHLAB_CHECK(false, "a masked atomic has operands");
  }
  // The verbs API takes read-only data as void*.
  if (request.by_value)
    ibv_wr_set_inline_data(qp, const_cast<void*>(request.local), request.bytes);
  else
    ibv_wr_set_sge(qp, request.local_key, reinterpret_cast<std::uint64_t>(request.local),
                   request.bytes);
}

int QueuePair::post_plain(std::span<const WorkRequest> requests) {
  SmallVector<PlainRequest, kPlainAtOnce> chain;
  for (const WorkRequest& request : requests) chain.push_back(plain_of(request));
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i].request.sg_list = &chain[i].where;
    if (i > 0) chain[i - 1].request.next = &chain[i].request;
  }
  if (chain.empty()) return 0;
  ibv_send_wr* refused = nullptr;
  const int status = ibv_post_send(qp_, &chain[0].request, &refused);
  LATCHLAB_CHECK(status == 0 || refused == &chain[0].request,
                 "a chain of work requests was posted in part, though its QP has room for all");
  return status;
}

int QueuePair::post(std::span<const WorkRequest> requests) {
  if (extended_ == nullptr) return post_plain(requests);
  ibv_wr_start(extended_);
  for (const WorkRequest& request : requests) build(extended_, request);
  return ibv_wr_complete(extended_);
}

}  // namespace latchlab::ib
