// QP states. As in the kernel (verbs.c of ib_core for RC, qp.c of mlx5_ib for DCI and DCT), a
// change of state with a missing attribute or one too many fails with EINVAL.
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "tools/soft-mlx5/commands.h"

namespace soft_mlx5 {

namespace {

struct Change {
  QpKind kind;
  QpState from;
  QpState to;
  int needed;
  int allowed;
};

constexpr int kRights = IBV_QP_ACCESS_FLAGS;
constexpr int kPlace = IBV_QP_PKEY_INDEX | IBV_QP_PORT;
constexpr int kSender =
    IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN;
constexpr int kTimer = IBV_QP_MIN_RNR_TIMER;

constexpr Change kChanges[] = {
    {QpKind::rc, QpState::reset, QpState::init, kPlace | kRights, 0},
    {QpKind::rc, QpState::init, QpState::init, 0, kPlace | kRights},
    {QpKind::rc, QpState::init, QpState::rtr,
     IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
         kTimer,
     IBV_QP_ALT_PATH | kRights | IBV_QP_PKEY_INDEX},
    {QpKind::rc, QpState::rtr, QpState::rts, kSender,
     IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | kRights | kTimer | IBV_QP_PATH_MIG_STATE},
    {QpKind::rc, QpState::rts, QpState::rts, 0,
     IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | kRights | kTimer | IBV_QP_PATH_MIG_STATE},
    {QpKind::dci, QpState::reset, QpState::init, kPlace, 0},
    {QpKind::dci, QpState::init, QpState::init, 0, kPlace},
    {QpKind::dci, QpState::init, QpState::rtr, IBV_QP_PATH_MTU, IBV_QP_PKEY_INDEX | IBV_QP_AV},
    {QpKind::dci, QpState::rtr, QpState::rts, kSender, kTimer},
    {QpKind::dci, QpState::rts, QpState::rts, 0, kTimer},
    {QpKind::dct, QpState::reset, QpState::init, kPlace | kRights, 0},
    {QpKind::dct, QpState::init, QpState::rtr, kTimer | IBV_QP_AV | IBV_QP_PATH_MTU, 0},
};

bool is_allowed(const Qp& qp, QpState to, int mask) {
  mask &= ~IBV_QP_STATE;
  if (to == QpState::reset || to == QpState::err)
    return mask == 0 && qp.kind != QpKind::dct &&
           (to == QpState::reset || qp.state != QpState::reset);
  const auto fits = [&](const Change& change) {
    return change.kind == qp.kind && change.from == qp.state && change.to == to &&
           (mask & change.needed) == change.needed &&
           (mask & ~(change.needed | change.allowed)) == 0;
  };
  return std::any_of(std::begin(kChanges), std::end(kChanges), fits);
}

int check_address(const ib_uverbs_qp_dest& to, bool has_target) {
  if (to.port_num != 1) return EINVAL;
  if (to.is_global != 0 && to.sgid_index >= gids().size()) return EINVAL;
  if (config().infiniband) return config().needs_grh && to.is_global == 0 ? EINVAL : 0;
  if (to.is_global == 0 || to.sgid_index < 1) return EINVAL;
  if (!has_target) return 0;
  Gid gid;
  std::copy(std::begin(to.dgid), std::end(to.dgid), gid.begin());
  return std::find(gids().begin(), gids().end(), gid) == gids().end() ? ETIMEDOUT : 0;
}

int check_values(const Qp& qp, const ib_uverbs_modify_qp& change, int mask) {
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0 && config().no_atomics &&
      (change.qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC) != 0)
    return EOPNOTSUPP;
  if ((mask & IBV_QP_PORT) != 0 && change.port_num != 1) return EINVAL;
  if ((mask & IBV_QP_PKEY_INDEX) != 0 && change.pkey_index != 0) return EINVAL;
  if ((mask & IBV_QP_PATH_MTU) != 0 &&
      (change.path_mtu < IBV_MTU_256 || change.path_mtu > IBV_MTU_4096))
    return EINVAL;
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) != 0 && change.max_rd_atomic > 16) return EINVAL;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0 && change.max_dest_rd_atomic > 16) return EINVAL;
  if ((mask & IBV_QP_RETRY_CNT) != 0 && change.retry_cnt > 7) return EINVAL;
  if ((mask & IBV_QP_RNR_RETRY) != 0 && change.rnr_retry > 7) return EINVAL;
  if ((mask & IBV_QP_TIMEOUT) != 0 && change.timeout > 31) return EINVAL;
  if ((mask & kTimer) != 0 && change.min_rnr_timer > 31) return EINVAL;
  if ((mask & IBV_QP_AV) != 0) return check_address(change.dest, qp.kind == QpKind::rc);
  return 0;
}

void apply(Qp& qp, const ib_uverbs_modify_qp& change, int mask) {
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) qp.access = change.qp_access_flags;
  if ((mask & IBV_QP_PKEY_INDEX) != 0) qp.pkey_index = change.pkey_index;
  if ((mask & IBV_QP_PATH_MTU) != 0) qp.path_mtu = change.path_mtu;
  if ((mask & IBV_QP_DEST_QPN) != 0) qp.remote_number = change.dest_qp_num;
  if ((mask & IBV_QP_RQ_PSN) != 0) qp.recv_psn = change.rq_psn & 0xff'ffff;
  if ((mask & IBV_QP_SQ_PSN) != 0) qp.send_psn = change.sq_psn & 0xff'ffff;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0) qp.max_dest_rd_atomic = change.max_dest_rd_atomic;
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) != 0) qp.max_rd_atomic = change.max_rd_atomic;
  if ((mask & kTimer) != 0) qp.min_rnr_timer = change.min_rnr_timer;
  if ((mask & IBV_QP_TIMEOUT) != 0) qp.timeout = change.timeout;
  if ((mask & IBV_QP_RETRY_CNT) != 0) qp.retry_count = change.retry_cnt;
  if ((mask & IBV_QP_RNR_RETRY) != 0) qp.rnr_retry = change.rnr_retry;
  if ((mask & IBV_QP_AV) != 0) {
    std::copy(std::begin(change.dest.dgid), std::end(change.dest.dgid), qp.remote_gid.begin());
    qp.remote_lid = change.dest.dlid;
    qp.is_global = change.dest.is_global;
    qp.sgid_index = change.dest.sgid_index;
    qp.service_level = change.dest.sl;
    qp.traffic_class = change.dest.traffic_class;
    if (config().log)
      std::fprintf(stderr, "soft-mlx5: QP 0x%x: service level %u, traffic class %u\n", qp.number,
                   qp.service_level, qp.traffic_class);
  }
  // Without resources for them, READs and atomics are not permitted.
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0 && change.max_dest_rd_atomic == 0)
    qp.access &= ~static_cast<unsigned>(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
}

}  // namespace

bool ResponderShare::take(std::uint32_t wanted) {
  static std::uint32_t all = 0;  // guarded by the device's lock
  if (wanted > taken_ && config().rd_atomic != 0 && all + wanted - taken_ > config().rd_atomic)
    return false;
  all += wanted - taken_;
  taken_ = wanted;
  return true;
}

int modify_qp(Device& device, Qp& qp, const ib_uverbs_modify_qp& change) {
  const auto mask = static_cast<int>(change.attr_mask);
  const QpState to = (mask & IBV_QP_STATE) != 0 ? static_cast<QpState>(change.qp_state) : qp.state;
  if (!is_allowed(qp, to, mask)) return EINVAL;
  if (const int wrong = check_values(qp, change, mask); wrong != 0) return wrong;
  if (to == QpState::reset) {
    device.reset(qp);
    return 0;
  }
  if (to == QpState::err) {
    device.enter_error(qp);
    return 0;
  }
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0 && !qp.responders.take(change.max_dest_rd_atomic))
    return ENOMEM;
  apply(qp, change, mask);
  if (qp.kind == QpKind::dct && to == QpState::rtr && qp.number == 0) {
    qp.number = device.new_number();
    if (qp.number == 0) return ENOMEM;
    device.give_number(qp.number, &qp);
  }
  if (to == QpState::rts && qp.state != QpState::rts)
    for (Stream& stream : qp.streams) {
      stream.retries_left = qp.retry_count;
      stream.rnr_left = qp.rnr_retry;
    }
  qp.state = to;
  return 0;
}

int query_qp(Qp& qp, const Command& command) {
  const auto asked = command.read<ib_uverbs_query_qp>();
  constexpr unsigned kOfDct = IBV_QP_STATE | kRights | IBV_QP_PORT | kTimer | IBV_QP_AV |
                              IBV_QP_PATH_MTU | IBV_QP_PKEY_INDEX;
  if (qp.kind == QpKind::dct && (qp.state != QpState::rtr || (asked.attr_mask & ~kOfDct) != 0))
    return EINVAL;
  ib_uverbs_query_qp_resp answer = {};
  answer.qp_state = answer.cur_qp_state = static_cast<std::uint8_t>(qp.state);
  answer.path_mtu = qp.path_mtu;
  answer.rq_psn = qp.recv_psn;
  answer.sq_psn = qp.send_psn;
  answer.dest_qp_num = qp.remote_number;
  answer.qp_access_flags = qp.access;
  answer.pkey_index = qp.pkey_index;
  answer.max_rd_atomic = qp.max_rd_atomic;
  answer.max_dest_rd_atomic = qp.max_dest_rd_atomic;
  answer.min_rnr_timer = qp.min_rnr_timer;
  answer.port_num = 1;
  answer.timeout = qp.timeout;
  answer.retry_cnt = qp.retry_count;
  answer.rnr_retry = qp.rnr_retry;
  answer.sq_sig_all = qp.signals_all ? 1 : 0;
  answer.max_send_wr = qp.max_send_wr;
  answer.max_recv_wr = qp.max_recv_wr;
  answer.max_send_sge = qp.max_send_sge;
  answer.max_recv_sge = qp.max_recv_sge;
  answer.max_inline_data = qp.max_inline;
  std::copy(qp.remote_gid.begin(), qp.remote_gid.end(), std::begin(answer.dest.dgid));
  answer.dest.dlid = qp.remote_lid;
  answer.dest.is_global = qp.is_global;
  answer.dest.sgid_index = qp.sgid_index;
  answer.dest.sl = qp.service_level;
  answer.dest.traffic_class = qp.traffic_class;
  answer.dest.port_num = 1;
  command.write(answer);
  return 0;
}

}  // namespace soft_mlx5
