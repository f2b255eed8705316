#include "backends/ibverbs/dc.h"

#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "backends/ibverbs/mlx5.h"
#include "core/base/secret.h"

namespace latchlab::ib {

namespace {

constexpr std::uint8_t kDcHops = 64;
constexpr std::uint8_t kDctRnrTimer = 12;  // 0.64 ms

Error no_dc(const Device& device, const char* what) {
  const int why = errno;
  const bool none = why == EOPNOTSUPP || why == ENOSYS;
  return {fmt::format("{}: no DC {}: {}{}", device.facts().name, what, std::strerror(why),
                      none ? "; this device has no DC transport: use --transport rc" : ""),
          {}};
}

// The path to a peer, or that of a target's responses; with a GRH if the port needs one.
ibv_ah_attr path_by(const Device& device, const Gid& to, std::uint16_t lid) {
  ibv_ah_attr path = {};
  path.port_num = device.port();
  path.dlid = lid;
  path.sl = device.path().sl;
  if (!device.facts().global_routing) return path;
  path.is_global = 1;
  path.grh.hop_limit = kDcHops;
  path.grh.traffic_class = device.path().traffic_class;
  path.grh.sgid_index = device.gid_index();
  std::memcpy(path.grh.dgid.raw, to.bytes.data(), to.bytes.size());
  return path;
}

// `what`: for the error, such as "target does not become INIT".
Status step(ibv_qp* qp, ibv_qp_attr& attr, int mask, const char* what) {
  const int status = ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask);
  if (status == 0) return fine();
  return Error{fmt::format("a DC {}: {}", what, std::strerror(status)), {}};
}

Status target_to_init(ibv_qp* qp, const Device& device) {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = device.port();
  attr.pkey_index = device.pkey_index();
  attr.qp_access_flags = access_for_peers(device);
  return step(qp, attr, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
              "target does not become INIT");
}

Status target_to_rtr(ibv_qp* qp, const Device& device) {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_RTR;
  attr.min_rnr_timer = kDctRnrTimer;
  attr.path_mtu = static_cast<ibv_mtu>(device.mtu());
  attr.ah_attr = path_by(device, device.gid(), 0);
  return step(qp, attr, IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU,
              "target does not become ready");
}

constexpr int kDciRdAtomic = 16;  // as for RC QPs
// As for RC QPs: makes libmlx5's count of requests safe (queue_pair.cc).
constexpr std::uint32_t kInlineOfDci = 64;
constexpr std::uint32_t kBlocksOfDci =
    (kMostMaskedBytes + kAddressVectorBytes + kWqeBlock - 1) / kWqeBlock;
static_assert(kBlocksOfDci == 3);

}  // namespace

// ---- DcTarget ----

Result<DcTarget> DcTarget::make(const Device& device, const CompletionQueue& cq,
                                const RecvPool& recvs) {
  DcTarget made;
  made.address_.gid = device.gid();
  // Secret: a request with another key gets no response, so that neither a stranger nor a peer of
  // an earlier run, whose target had the same number, has access.
  made.address_.key = secret_u64();
  made.address_.lid = device.lid();
  made.address_.mtu = device.mtu();
  ibv_qp_init_attr_ex wanted = {};
  wanted.send_cq = wanted.recv_cq = cq.handle();
  wanted.srq = recvs.handle();
  wanted.qp_type = IBV_QPT_DRIVER;
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD;
  wanted.pd = device.pd();
  made.qp_ = mlx5_create_target(device.context(), wanted, made.address_.key);
  if (made.qp_ == nullptr) return no_dc(device, "target");
  made.device_ = &device;
  device.count_qps(1);
  if (Status init = target_to_init(made.qp_, device); !init) return init.error();
  if (Status ready = target_to_rtr(made.qp_, device); !ready) return ready.error();
  made.address_.number = made.qp_->qp_num;  // known only in RTR
  return made;
}

DcTarget::~DcTarget() {
  drop();
}
DcTarget::DcTarget(DcTarget&& other) noexcept
    : device_(other.device_), qp_(std::exchange(other.qp_, nullptr)), address_(other.address_) {}
DcTarget& DcTarget::operator=(DcTarget&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(qp_, other.qp_);
  std::swap(address_, other.address_);
  return *this;
}
void DcTarget::drop() {
  if (qp_ == nullptr) return;
  ibv_destroy_qp(std::exchange(qp_, nullptr));
  device_->count_qps(-1);
}

// ---- AhCache ----

AhCache::~AhCache() {
  for (const auto& [peer, path] : paths_) ibv_destroy_ah(path);
}

std::size_t AhCache::size() const {
  const std::lock_guard guard(mutex_);
  return paths_.size();
}

Result<ibv_ah*> AhCache::path_to(const DctAddress& target) {
  const std::lock_guard guard(mutex_);
  ibv_ah*& path = paths_[{target.gid, target.lid}];
  if (path != nullptr) return path;
  ibv_ah_attr attributes = path_by(device_, target.gid, target.lid);
  path = ibv_create_ah(device_.pd(), &attributes);
  if (path != nullptr) return path;
  const int why = errno;
  paths_.erase({target.gid, target.lid});
  return Error{fmt::format("{} finds no path to {}: {}", device_.facts().name, text_of(target.gid),
                           std::strerror(why)),
               {}};
}

Result<DcAim> AhCache::aim_at(const DctAddress& target) {
  const auto path = path_to(target);
  if (!path) return path.error();
  DcAim aim;
  aim.path = path.value();
  aim.number = target.number;
  aim.key = target.key;
  if (!mlx5_vector(aim.path, aim.number, aim.key, aim.vector))
    return Error{fmt::format("{} does not show its address vectors", device_.facts().name), {}};
  return aim;
}

// ---- Dci ----

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
  if (Status done =
          step(qp_, init, IBV_QP_PKEY_INDEX | IBV_QP_PORT, "initiator does not become INIT");
      !done)
    return done;
  ibv_qp_attr rtr = {};
  rtr.qp_state = IBV_QPS_RTR;
  rtr.path_mtu = static_cast<ibv_mtu>(device_.mtu());
  if (Status done = step(qp_, rtr, IBV_QP_PATH_MTU, "initiator does not become ready to receive");
      !done)
    return done;
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
              "initiator does not become ready to send");
}

void Dci::fail() {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_ERR;
  ibv_modify_qp(qp_, &attr, IBV_QP_STATE);
}

Status Dci::recover() {
  ibv_qp_attr reset = {};
  reset.qp_state = IBV_QPS_RESET;
  if (Status done = step(qp_, reset, 0, "initiator does not become RESET"); !done) return done;
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

Result<Dci*> DciPool::lease(NodeId to) {
  auto found =
      std::find_if(free_.begin(), free_.end(), [to](const Dci* dci) { return dci->last == to; });
  if (found == free_.end()) found = free_.begin();
  Dci* leased = nullptr;
  if (found != free_.end()) {
    leased = *found;
    free_.erase(found);
  } else if (all_.size() < most_) {
    auto made = Dci::make(device_, cq_, options_);
    if (!made) return made.error();
    all_.push_back(std::move(made).value());
    leased = all_.back().get();
  }
  if (leased != nullptr) leased->last = to;
  return leased;
}

}  // namespace latchlab::ib
