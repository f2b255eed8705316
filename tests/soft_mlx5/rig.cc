#include "tests/soft_mlx5/rig.h"

#include <arpa/inet.h>
#include <endian.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace soft_mlx5_test {

Rig::Rig() {
  int count = 0;
  ibv_device** const list = ibv_get_device_list(&count);
  if (list == nullptr || count == 0) throw std::runtime_error("there is no device");
  context = ibv_open_device(list[0]);
  ibv_free_device_list(list);
  if (context == nullptr) throw std::runtime_error("the device cannot be opened");
  ibv_port_attr port = {};
  ibv_query_port(context, 1, &port);
  infiniband = port.link_layer == IBV_LINK_LAYER_INFINIBAND;
  lid = port.lid;
  pd = ibv_alloc_pd(context);
  channel = ibv_create_comp_channel(context);
  cq = ibv_create_cq(context, 256, nullptr, channel, 0);
  mr = ibv_reg_mr(pd, memory.data(), memory.size() * 8, kAllRights);
  if (pd == nullptr || cq == nullptr || mr == nullptr) throw std::runtime_error("no pd, cq or mr");
}

Rig::~Rig() {
  for (ibv_qp* qp : qps_) ibv_destroy_qp(qp);
  for (ibv_srq* srq : srqs_) ibv_destroy_srq(srq);
  for (ibv_ah* ah : ahs_) ibv_destroy_ah(ah);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  EXPECT_EQ(ibv_destroy_cq(cq), 0);
  EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
  EXPECT_EQ(ibv_dealloc_pd(pd), 0);
  ibv_close_device(context);
}

ibv_ah_attr Rig::address_of(int node) const {
  ibv_ah_attr to = {};
  to.port_num = 1;
  if (infiniband) {
    to.dlid = lid;
    return to;
  }
  to.is_global = 1;
  to.grh.hop_limit = 64;
  to.grh.sgid_index = 2;
  const std::uint8_t gid[16] = {0, 0, 0,    0,    0,  0,  0, 0,
                                0, 0, 0xff, 0xff, 10, 77, 0, static_cast<std::uint8_t>(node)};
  std::memcpy(to.grh.dgid.raw, gid, sizeof gid);
  return to;
}

ibv_qp* Rig::make_rc(const QpWish& wish) {
  ibv_qp_init_attr_ex base = {};
  base.qp_type = IBV_QPT_RC;
  base.send_cq = base.recv_cq = cq;
  base.srq = wish.srq;
  base.cap = {wish.depth, wish.srq != nullptr ? 0 : wish.depth, wish.send_sge, 1,
              wish.inline_bytes};
  base.sq_sig_all = wish.signals_all ? 1 : 0;
  base.pd = pd;
  base.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  base.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND |
                        IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
  mlx5dv_qp_init_attr own = {};
  own.comp_mask =
      MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS | MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
  own.send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE;
  own.create_flags = wish.scatters ? 0 : MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE;
  ibv_qp* const qp = mlx5dv_create_qp(context, &base, &own);
  if (qp != nullptr) qps_.push_back(qp);
  return qp;
}

ibv_qp* Rig::make_dci(unsigned log_streams, unsigned log_errored, std::uint8_t timeout,
                      std::uint8_t rnr_retries) {
  ibv_qp_init_attr_ex base = {};
  base.qp_type = IBV_QPT_DRIVER;
  base.send_cq = base.recv_cq = cq;
  base.cap = {16, 0, 1, 0, 128};
  base.pd = pd;
  base.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  base.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND |
                        IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
  mlx5dv_qp_init_attr own = {};
  own.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
  own.send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE;
  own.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
  if (log_streams > 0) {
    own.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
    own.dc_init_attr.dci_streams = {static_cast<std::uint8_t>(log_streams),
                                    static_cast<std::uint8_t>(log_errored)};
  }
  ibv_qp* const qp = mlx5dv_create_qp(context, &base, &own);
  if (qp == nullptr) return nullptr;
  qps_.push_back(qp);
  QpWish wish;
  wish.timeout = timeout;
  wish.rnr_retries = rnr_retries;
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  EXPECT_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT), 0);
  attr = {};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  EXPECT_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU), 0);
  EXPECT_EQ(to_rts(qp, wish), 0);
  return qp;
}

ibv_qp* Rig::make_dct(ibv_srq* srq, std::uint64_t key) {
  ibv_qp_init_attr_ex base = {};
  base.qp_type = IBV_QPT_DRIVER;
  base.send_cq = base.recv_cq = cq;
  base.srq = srq;
  base.pd = pd;
  base.comp_mask = IBV_QP_INIT_ATTR_PD;
  mlx5dv_qp_init_attr own = {};
  own.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
  own.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT;
  own.dc_init_attr.dct_access_key = key;
  ibv_qp* const qp = mlx5dv_create_qp(context, &base, &own);
  if (qp == nullptr) return nullptr;
  qps_.push_back(qp);
  EXPECT_EQ(to_init(qp), 0);
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  attr.min_rnr_timer = 1;
  attr.ah_attr = address_of(1);
  EXPECT_EQ(
      ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU),
      0);
  return qp;
}

ibv_srq* Rig::make_srq(std::uint32_t entries) {
  ibv_srq_init_attr wish = {};
  wish.attr.max_wr = entries;
  wish.attr.max_sge = 1;
  ibv_srq* const srq = ibv_create_srq(pd, &wish);
  if (srq != nullptr) srqs_.push_back(srq);
  return srq;
}

ibv_ah* Rig::make_ah(int node) {
  ibv_ah_attr to = address_of(node);
  ibv_ah* const ah = ibv_create_ah(pd, &to);
  if (ah != nullptr) ahs_.push_back(ah);
  return ah;
}

void Rig::post_receive(ibv_srq* srq, std::size_t word, std::uint32_t bytes, std::uint64_t id) {
  ibv_sge place = {at(word), bytes, mr->lkey};
  ibv_recv_wr wr = {};
  wr.wr_id = id;
  wr.sg_list = &place;
  wr.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  EXPECT_EQ(ibv_post_srq_recv(srq, &wr, &bad), 0);
}

void Rig::destroy(ibv_qp* qp) {
  std::erase(qps_, qp);
  EXPECT_EQ(ibv_destroy_qp(qp), 0);
}

int Rig::to_init(ibv_qp* qp, int rights) {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  attr.qp_access_flags = static_cast<unsigned>(rights);
  return ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

int Rig::to_rtr(ibv_qp* qp, std::uint32_t peer, std::uint32_t psn, int node) {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  attr.dest_qp_num = peer;
  attr.rq_psn = psn;
  attr.max_dest_rd_atomic = 16;
  attr.min_rnr_timer = 1;
  attr.ah_attr = address_of(node);
  return ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

int Rig::to_rts(ibv_qp* qp, const QpWish& wish, std::uint32_t psn) {
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_RTS;
  attr.timeout = wish.timeout;
  attr.retry_cnt = wish.retries;
  attr.rnr_retry = wish.rnr_retries;
  attr.sq_psn = psn;
  attr.max_rd_atomic = 16;
  return ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                           IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int Rig::to(ibv_qp* qp, ibv_qp_state state) {
  ibv_qp_attr attr = {};
  attr.qp_state = state;
  return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

ibv_qp_state Rig::state_of(ibv_qp* qp) {
  ibv_qp_attr attr = {};
  ibv_qp_init_attr init = {};
  EXPECT_EQ(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
  return attr.qp_state;
}

void Rig::connect(ibv_qp* a, ibv_qp* b, const QpWish& wish) {
  for (ibv_qp* qp : {a, b}) {
    ibv_qp* const peer = qp == a ? b : a;
    ASSERT_EQ(to_init(qp, wish.rights), 0);
    ASSERT_EQ(to_rtr(qp, peer->qp_num), 0);
    ASSERT_EQ(to_rts(qp, wish), 0);
  }
}

Done Rig::next() {
  for (int i = 0; i < 50'000; ++i) {
    ibv_wc wc = {};
    if (ibv_poll_cq(cq, 1, &wc) == 1)
      return {wc.wr_id, wc.status, wc.opcode, wc.byte_len, ntohl(wc.imm_data)};
    ::usleep(100);
  }
  ADD_FAILURE() << "no completion came";
  return {};
}

bool Rig::is_quiet(int milliseconds) {
  ::usleep(static_cast<unsigned>(milliseconds) * 1000);
  ibv_wc wc = {};
  return ibv_poll_cq(cq, 1, &wc) == 0;
}

int post(Rig& rig, ibv_qp* qp, const Op& op) {
  ibv_sge place = {rig.at(op.local), op.bytes, rig.mr->lkey};
  ibv_send_wr wr = {};
  wr.wr_id = op.id;
  wr.sg_list = &place;
  wr.num_sge = 1;
  wr.opcode = op.opcode;
  wr.send_flags = op.flags;
  wr.imm_data = htonl(op.immediate);
  const std::uint32_t rkey = op.rkey != 0 ? op.rkey : rig.mr->rkey;
  if (op.opcode == IBV_WR_ATOMIC_CMP_AND_SWP || op.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    wr.wr.atomic.remote_addr = op.remote;
    wr.wr.atomic.rkey = rkey;
    wr.wr.atomic.compare_add = op.add_or_compare;
    wr.wr.atomic.swap = op.swap;
  } else {
    wr.wr.rdma.remote_addr = op.remote;
    wr.wr.rdma.rkey = rkey;
  }
  ibv_send_wr* bad = nullptr;
  return ibv_post_send(qp, &wr, &bad);
}

}  // namespace soft_mlx5_test
