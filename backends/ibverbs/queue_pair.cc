// RC QPs: making and connecting.

#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "backends/ibverbs/mlx5.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wqe.h"
#include "core/base/check.h"
#include "core/base/secret.h"
#include "core/base/small_vector.h"

namespace latchlab::ib {

namespace {

constexpr std::uint8_t kRnrTimer = 12;  // 0.64 ms
constexpr std::uint8_t kHops = 64;
// With this much room for inline data libmlx5 plans two blocks for each request, the length of the
// longest masked atomic: then counting requests instead of blocks is safe.
constexpr std::uint32_t kInlineForMasked = 64;
constexpr std::uint32_t kMostBlocks = (kMostMaskedBytes + kWqeBlock - 1) / kWqeBlock;
static_assert(kMostBlocks == 2);

// Secret: a packet with a wrong PSN is dropped, and nothing else protects memory from forged
// packets (docs/cluster.md).
std::uint32_t new_psn() {
  return static_cast<std::uint32_t>(secret_u64()) & 0xff'ffff;
}

Status changed(int status, const char* to) {
  if (status == 0) return fine();
  return Error{fmt::format("QP does not become {}: {}", to, std::strerror(status)), {}};
}

Status to_init(ibv_qp* qp, const Device& device) {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = device.port();
  attr.pkey_index = device.pkey_index();
  attr.qp_access_flags = access_for_peers(device);
  return changed(
      ibv_modify_qp(qp, &attr,
                    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
      "INIT");
}

Status to_rtr(ibv_qp* qp, const Device& device, const QpAddress& peer, std::uint8_t rd_atomic) {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = static_cast<ibv_mtu>(std::min(device.mtu(), peer.mtu));
  attr.dest_qp_num = peer.number;
  attr.rq_psn = peer.psn;
  attr.max_dest_rd_atomic = rd_atomic;
  attr.min_rnr_timer = kRnrTimer;
  attr.ah_attr.dlid = peer.lid;
  attr.ah_attr.port_num = device.port();
  attr.ah_attr.sl = device.path().sl;
  if (device.facts().global_routing) {
    attr.ah_attr.is_global = 1;
    attr.ah_attr.grh.hop_limit = kHops;
    attr.ah_attr.grh.traffic_class = device.path().traffic_class;
    attr.ah_attr.grh.sgid_index = device.gid_index();
    std::memcpy(attr.ah_attr.grh.dgid.raw, peer.gid.bytes.data(), peer.gid.bytes.size());
  }
  return changed(
      ibv_modify_qp(qp, &attr,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
      "ready to receive");
}

Status to_rts(ibv_qp* qp, const QpOptions& options, std::uint32_t psn, std::uint8_t rd_atomic) {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_RTS;
  attr.sq_psn = psn;
  attr.timeout = options.timeout;
  attr.retry_cnt = options.retries;
  attr.rnr_retry = options.rnr_retries;
  attr.max_rd_atomic = rd_atomic;
  return changed(ibv_modify_qp(qp, &attr,
                               IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                   IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
                 "ready to send");
}

// Posted to by ibv_wr_* if the driver has it, else by ibv_post_send (with only a PD in comp_mask,
// ibv_create_qp_ex equals ibv_create_qp): mlx4, bnxt_re, irdma, erdma and qedr have no extended
// QPs, or refuse the flags.
ibv_qp* create_rc(const Device& device, ibv_qp_init_attr_ex& wanted) {
  if (ibv_qp* const made = ibv_create_qp_ex(device.context(), &wanted)) return made;
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD;
  wanted.send_ops_flags = 0;
  return ibv_create_qp_ex(device.context(), &wanted);
}

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

Result<QueuePair> QueuePair::make(const Device& device, const CompletionQueue& cq,
                                  const QpOptions& options) {
  ibv_qp_init_attr_ex wanted = {};
  wanted.send_cq = wanted.recv_cq = cq.handle();
  wanted.srq = options.recvs != nullptr ? options.recvs->handle() : nullptr;
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap.max_send_wr = options.depth;
  wanted.cap.max_send_sge = 1;
  wanted.cap.max_recv_sge = 1;
  wanted.cap.max_inline_data =
      options.masked ? std::max(options.inline_bytes, kInlineForMasked) : options.inline_bytes;
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  wanted.pd = options.domain != nullptr ? options.domain->pd() : device.pd();
  wanted.send_ops_flags = send_operations(device);
  QueuePair made;
  made.device_ = &device;
  made.options_ = options;
  made.psn_ = new_psn();
  made.qp_ = options.masked ? mlx5_create_rc(device.context(), wanted) : create_rc(device, wanted);
  if (made.qp_ == nullptr)
    return Error{fmt::format("{}: no RC QP with {} send entries: {}", device.facts().name,
                             options.depth, std::strerror(errno)),
                 {}};
  if (options.masked && mlx5_send_blocks(made.qp_) < kMostBlocks * options.depth)
    return Error{
        fmt::format("{}: a send queue of {} blocks for {} masked atomics of {} each",
                    device.facts().name, mlx5_send_blocks(made.qp_), options.depth, kMostBlocks),
        {}};
  device.count_qps(1);
  device.note_doorbell(mlx5_doorbell(made.qp_));
  if ((wanted.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0)
    made.extended_ = ibv_qp_to_qp_ex(made.qp_);
  made.rd_atomic_ = device.take_rd_atomic(options.rd_atomic);
  if (made.rd_atomic_ == 0)
    return Error{
        fmt::format("{}: its QPs take {} READs and atomics at once in all "
                    "(max_res_rd_atom), and {} QPs have them: use fewer clients or nodes "
                    "on this device",
                    device.facts().name, device.facts().max_device_rd_atomic, device.qps() - 1),
        {}};
  if (Status ready = to_init(made.qp_, device); !ready) return ready.error();
  return made;
}

QueuePair::~QueuePair() {
  drop();
}
QueuePair::QueuePair(QueuePair&& other) noexcept
    : device_(other.device_),
      options_(other.options_),
      qp_(std::exchange(other.qp_, nullptr)),
      extended_(other.extended_),
      psn_(other.psn_),
      rd_atomic_(std::exchange(other.rd_atomic_, std::uint8_t{0})),
      peer_(other.peer_) {}
QueuePair& QueuePair::operator=(QueuePair&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(options_, other.options_);
  std::swap(qp_, other.qp_);
  std::swap(extended_, other.extended_);
  std::swap(psn_, other.psn_);
  std::swap(rd_atomic_, other.rd_atomic_);
  std::swap(peer_, other.peer_);
  return *this;
}

QpAddress QueuePair::address() const {
  QpAddress address;
  address.gid = device_->gid();
  address.lid = device_->lid();
  address.mtu = device_->mtu();
  address.number = qp_->qp_num;
  address.psn = psn_;
  address.rd_atomic = rd_atomic_;
  return address;
}

Status QueuePair::connect(const QpAddress& peer) {
  if (Status status = to_rtr(qp_, *device_, peer, rd_atomic_); !status) return status;
  peer_ = peer;
  const int outstanding = std::min<int>(device_->facts().max_rd_atomic, peer.rd_atomic);
  return to_rts(qp_, options_, psn_, static_cast<std::uint8_t>(outstanding));
}

void QueuePair::fail() {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_ERR;
  if (qp_ != nullptr) ibv_modify_qp(qp_, &attr, IBV_QP_STATE);
}

void QueuePair::drop() {
  if (qp_ == nullptr) return;
  ibv_destroy_qp(std::exchange(qp_, nullptr));
  device_->count_qps(-1);
  device_->return_rd_atomic(std::exchange(rd_atomic_, std::uint8_t{0}));
}

// ---- posting ----

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
