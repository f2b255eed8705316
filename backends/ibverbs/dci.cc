// Initiators (DCIs) of the DC transport.

#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/mlx5.h"
#include "backends/ibverbs/mlx5_dc.h"

namespace latchlab::ib {

namespace {

constexpr int kDciRdAtomic = 16;  // as for RC QPs
// As for RC QPs: makes libmlx5's count of requests safe (queue_pair.cc).
constexpr std::uint32_t kInlineOfDci = 64;
constexpr std::uint32_t kBlocksOfDci =
    (kMostMaskedBytes + kAddressVectorBytes + kWqeBlock - 1) / kWqeBlock;
static_assert(kBlocksOfDci == 3);

Status step(ibv_qp* qp, ibv_qp_attr& attr, int mask, const char* to) {
  const int status = ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask);
  if (status == 0) return fine();
  return Error{fmt::format("a DC initiator does not become {}: {}", to, std::strerror(status)), {}};
}

}  // namespace

Result<std::unique_ptr<Dci>> Dci::make(const Device& device, const CompletionQueue& cq,
                                       const QpOptions& options) {
  auto made = std::unique_ptr<Dci>(new Dci(device, options));
  const bool masked = device.facts().mlx5 && device.facts().mlx5->masked_dc != 0;
  ibv_qp_init_attr_ex wanted = {};
  wanted.send_cq = wanted.recv_cq = cq.handle();
  wanted.qp_type = IBV_QPT_DRIVER;
  wanted.cap.max_send_wr = options.depth;
  wanted.cap.max_send_sge = 1;
  wanted.cap.max_inline_data =
      masked ? std::max(options.inline_bytes, kInlineOfDci) : options.inline_bytes;
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  wanted.pd = options.domain != nullptr ? options.domain->pd() : device.pd();
  wanted.send_ops_flags = send_operations(device);
  made->qp_ = mlx5_create_initiator(device.context(), wanted);
  if (made->qp_ == nullptr)
    return Error{fmt::format("{}: no DC initiator with {} send entries: {}", device.facts().name,
                             options.depth, std::strerror(errno)),
                 {}};
  device.count_qps(1);
  device.note_doorbell(mlx5_doorbell(made->qp_));
  if (masked && mlx5_send_blocks(made->qp_) < kBlocksOfDci * options.depth)
    return Error{
        fmt::format("{}: a DC initiator's queue of {} blocks for {} masked atomics of {} each",
                    device.facts().name, mlx5_send_blocks(made->qp_), options.depth, kBlocksOfDci),
        {}};
  made->extended_ = ibv_qp_to_qp_ex(made->qp_);
  if (Status ready = made->make_ready(); !ready) return ready.error();
  return made;
}

Dci::~Dci() {
  if (qp_ == nullptr) return;
  ibv_destroy_qp(qp_);
  device_.count_qps(-1);
}

std::uint32_t Dci::number() const {
  return qp_->qp_num;
}

// Starts from RESET. Access flags belong to the target, and the path to each verb.
Status Dci::make_ready() {
  ibv_qp_attr init = {};
  init.qp_state = IBV_QPS_INIT;
  init.port_num = device_.port();
  init.pkey_index = device_.pkey_index();
  if (Status done = step(qp_, init, IBV_QP_PKEY_INDEX | IBV_QP_PORT, "INIT"); !done) return done;
  ibv_qp_attr rtr = {};
  rtr.qp_state = IBV_QPS_RTR;
  rtr.path_mtu = static_cast<ibv_mtu>(device_.mtu());
  if (Status done = step(qp_, rtr, IBV_QP_PATH_MTU, "ready to receive"); !done) return done;
  ibv_qp_attr rts = {};
  rts.qp_state = IBV_QPS_RTS;
  rts.timeout = options_.timeout;
  rts.retry_cnt = options_.retries;
  rts.rnr_retry = options_.rnr_retries;
  const int most = device_.facts().mlx5 ? device_.facts().mlx5->dc_rd_atomic : 1;
  rts.max_rd_atomic = static_cast<std::uint8_t>(std::min(most, kDciRdAtomic));
  return step(qp_, rts,
              IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC |
                  IBV_QP_SQ_PSN,
              "ready to send");
}

void Dci::fail() {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_ERR;
  ibv_modify_qp(qp_, &attr, IBV_QP_STATE);
}

Status Dci::recover() {
  ibv_qp_attr reset = {};
  reset.qp_state = IBV_QPS_RESET;
  if (Status done = step(qp_, reset, 0, "RESET"); !done) return done;
  return make_ready();
}

int Dci::post(std::span<const WorkRequest> requests, const DcAim& to) {
  ibv_wr_start(extended_);
  for (const WorkRequest& request : requests) {
    build(extended_, request, to.vector);
    if (request.masked == nullptr) mlx5_aim(extended_, to.path, to.number, to.key);
  }
  return ibv_wr_complete(extended_);
}

// ---- DciPool ----

Result<Dci*> DciPool::lend(NodeId to) {
  auto found =
      std::find_if(free_.begin(), free_.end(), [to](const Dci* dci) { return dci->last == to; });
  if (found == free_.end()) found = free_.begin();
  Dci* lent = nullptr;
  if (found != free_.end()) {
    lent = *found;
    free_.erase(found);
  } else if (all_.size() < most_) {
    auto made = Dci::make(device_, cq_, options_);
    if (!made) return made.error();
    all_.push_back(std::move(made).value());
    lent = all_.back().get();
  }
  if (lent != nullptr) lent->last = to;
  return lent;
}

}  // namespace latchlab::ib
