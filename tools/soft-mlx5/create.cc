// Commands that make objects with queues or keys.
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/commands.h"

namespace soft_mlx5 {

namespace {

template <class T>
T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

constexpr unsigned kRemoteWrites = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

struct QpWish {
  ib_uverbs_ex_create_qp core = {};
  mlx5_ib_create_qp driver = {};
};

QpWish read_wish(const Command& command, bool extended) {
  QpWish wish;
  if (extended) {
    wish.core = command.read<ib_uverbs_ex_create_qp>();
    wish.driver = command.read_driver<mlx5_ib_create_qp>(0);
    return wish;
  }
  const auto core = command.read<ib_uverbs_create_qp>();
  // From user_handle up to and including qp_type the two layouts are equal.
  std::memcpy(&wish.core, &core.user_handle, offsetof(ib_uverbs_ex_create_qp, reserved));
  wish.driver = command.read_driver<mlx5_ib_create_qp>(sizeof core);
  return wish;
}

int set_queues(Qp& qp, const QpWish& wish) {
  const mlx5_ib_create_qp& driver = wish.driver;
  if (driver.sq_wqe_count != 0 && !std::has_single_bit(driver.sq_wqe_count)) return EINVAL;
  if (driver.rq_wqe_count != 0 && !std::has_single_bit(driver.rq_wqe_count)) return EINVAL;
  if (driver.buf_addr % kPage != 0 || driver.db_addr % 8 != 0) return EINVAL;
  auto* const buffer = pointer<std::byte>(driver.buf_addr);
  qp.record = pointer<std::uint32_t>(driver.db_addr);
  qp.rq = buffer;
  qp.rq_entries = qp.srq != nullptr ? 0 : driver.rq_wqe_count;
  qp.rq_stride = 1U << driver.rq_wqe_shift;
  qp.sq = buffer + (static_cast<std::size_t>(driver.rq_wqe_count) << driver.rq_wqe_shift);
  qp.sq_blocks = driver.sq_wqe_count;
  const bool scatters = (driver.flags & MLX5_QP_FLAG_SCATTER_CQE) != 0;
  const bool always = (driver.flags & MLX5_QP_FLAG_ALLOW_SCATTER_CQE) != 0;
  qp.scatter_requests = scatters && (qp.signals_all || always);
  return 0;
}

}  // namespace

int register_memory(Device& device, Context& context, const Command& command) {
  const auto asked = command.read<ib_uverbs_reg_mr>();
  Pd* const pd = Device::find(device.pds, &context, asked.pd_handle);
  if (pd == nullptr) return EINVAL;
  if ((asked.access_flags & kRemoteWrites) != 0 &&
      (asked.access_flags & IBV_ACCESS_LOCAL_WRITE) == 0)
    return EINVAL;
  if ((asked.access_flags & IBV_ACCESS_ON_DEMAND) != 0) return EOPNOTSUPP;
  if (asked.start + asked.length < asked.start) return EINVAL;
  Mr* const mr = device.add(device.mrs, &context);
  mr->pd = pd;
  mr->address = asked.hca_va;
  mr->bytes = asked.length;
  mr->memory = pointer<std::byte>(asked.start);
  mr->access = asked.access_flags;
  mr->key = device.new_key(mr);
  ++pd->users;
  command.write(ib_uverbs_reg_mr_resp{mr->handle, mr->key, mr->key});
  return 0;
}

int create_cq(Device& device, Context& context, const Command& command, bool extended) {
  ib_uverbs_ex_create_cq asked = {};
  mlx5_ib_create_cq driver = {};
  if (extended) {
    asked = command.read<ib_uverbs_ex_create_cq>();
    driver = command.read_driver<mlx5_ib_create_cq>(0);
  } else {
    const auto core = command.read<ib_uverbs_create_cq>();
    asked.user_handle = core.user_handle;
    asked.cqe = core.cqe;
    asked.comp_channel = core.comp_channel;
    driver = command.read_driver<mlx5_ib_create_cq>(sizeof core);
  }
  const std::uint32_t entries = std::bit_ceil(asked.cqe + 1);
  if (asked.cqe == 0 || entries > 1U << 22) return EINVAL;
  if (driver.cqe_size != 64 && driver.cqe_size != 128) return EINVAL;
  if (driver.buf_addr % kPage != 0 || driver.cqe_comp_en != 0) return EINVAL;
  Channel* channel = nullptr;
  for (auto& [handle, each] : device.channels)
    if (asked.comp_channel >= 0 && each->read_end == asked.comp_channel) channel = each.get();
  if (asked.comp_channel >= 0 && channel == nullptr) return EBADF;
  Cq* const cq = device.add(device.cqs, &context);
  cq->number = cq->handle;
  cq->user_handle = asked.user_handle;
  cq->buffer = pointer<std::byte>(driver.buf_addr);
  cq->record = pointer<std::uint32_t>(driver.db_addr);
  cq->entries = entries;
  cq->entry_bytes = driver.cqe_size;
  cq->channel = channel;
  cq->ignores_overrun = (asked.flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN) != 0;
  if (channel != nullptr) ++channel->users;
  // Marks the CQ as not armed: software's initial 0 would be a valid arming.
  write_record(cq->record + 1, kNotArmed);
  const ib_uverbs_create_cq_resp core = {cq->handle, entries - 1, {}};
  const mlx5_ib_create_cq_resp mine = {cq->number, 0};
  if (!extended) {
    command.write(core);
    command.write_driver(sizeof core, mine);
    return 0;
  }
  ib_uverbs_ex_create_cq_resp answer = {core, 0, sizeof answer};
  command.write(answer);
  command.write_driver(sizeof answer, mine);
  return 0;
}

int create_srq(Device& device, Context& context, const Command& command) {
  if (config().no_srq) return EOPNOTSUPP;
  const auto asked = command.read<ib_uverbs_create_srq>();
  const auto driver = command.read_driver<mlx5_ib_create_srq>(sizeof asked);
  Pd* const pd = Device::find(device.pds, &context, asked.pd_handle);
  if (pd == nullptr || asked.max_wr == 0 || asked.max_wr >= 1 << 15) return EINVAL;
  if ((driver.flags & MLX5_SRQ_FLAG_SIGNATURE) != 0) return EOPNOTSUPP;
  Srq* const srq = device.add(device.srqs, &context);
  srq->number = srq->handle;
  srq->user_handle = asked.user_handle;
  srq->pd = pd;
  srq->buffer = pointer<std::byte>(driver.buf_addr);
  srq->record = pointer<std::uint32_t>(driver.db_addr);
  srq->entries = std::bit_ceil(asked.max_wr + 1);
  srq->stride = static_cast<std::uint32_t>(
      std::bit_ceil(std::max<std::size_t>(32, kOctoword * (1 + asked.max_sge))));
  srq->max_wr = srq->entries - 1;
  srq->max_sge = asked.max_sge;
  srq->limit = asked.srq_limit;
  ++pd->users;
  const ib_uverbs_create_srq_resp core = {srq->handle, srq->max_wr, asked.max_sge, srq->number};
  command.write(core);
  command.write_driver(sizeof core, mlx5_ib_create_srq_resp{srq->number, 0});
  return 0;
}

int create_qp(Device& device, Context& context, const Command& command, bool extended) {
  const QpWish wish = read_wish(command, extended);
  const mlx5_ib_create_qp& driver = wish.driver;
  const bool dct = (driver.flags & MLX5_QP_FLAG_TYPE_DCT) != 0;
  const bool dci = (driver.flags & MLX5_QP_FLAG_TYPE_DCI) != 0;
  const bool is_driver = wish.core.qp_type == 0xff;
  if (wish.core.qp_type != IBV_QPT_RC && !is_driver) return EOPNOTSUPP;
  if (is_driver != (dct || dci) || (dct && dci)) return EINVAL;
  if ((driver.flags & MLX5_QP_FLAG_SIGNATURE) != 0) return EOPNOTSUPP;
  Pd* const pd = Device::find(device.pds, &context, wish.core.pd_handle);
  Cq* const send_cq = Device::find(device.cqs, &context, wish.core.send_cq_handle);
  Cq* const recv_cq = Device::find(device.cqs, &context, wish.core.recv_cq_handle);
  Srq* const srq =
      wish.core.is_srq != 0 ? Device::find(device.srqs, &context, wish.core.srq_handle) : nullptr;
  if (pd == nullptr || (wish.core.is_srq != 0 && srq == nullptr)) return EINVAL;
  if (recv_cq == nullptr || (send_cq == nullptr && !dct)) return EINVAL;
  if (dct && srq == nullptr) return EINVAL;
  if (dci && (wish.core.max_recv_wr != 0 || wish.core.max_recv_sge != 0 || srq != nullptr))
    return EINVAL;
  Uar* uar = nullptr;
  if (!dct) {
    if ((driver.flags & MLX5_QP_FLAG_UAR_PAGE_INDEX) == 0) return EINVAL;
    for (auto& [handle, each] : device.uars)
      if (each->page == driver.bfreg_index && each->context == &context) uar = each.get();
    if (uar == nullptr) return EINVAL;
  }
  const std::uint32_t number = dct ? 0 : device.new_number();
  if (!dct && number == 0) return ENOMEM;
  Qp* const qp = device.add(device.qps, &context);
  qp->kind = dct ? QpKind::dct : dci ? QpKind::dci : QpKind::rc;
  qp->number = number;
  qp->user_index = driver.uidx;
  qp->user_handle = wish.core.user_handle;
  qp->pd = pd;
  qp->srq = srq;
  qp->send_cq = send_cq;
  qp->recv_cq = recv_cq;
  qp->signals_all = wish.core.sq_sig_all != 0;
  qp->max_send_wr = wish.core.max_send_wr;
  qp->max_send_sge = wish.core.max_send_sge;
  qp->max_recv_wr = wish.core.max_recv_wr;
  qp->max_recv_sge = wish.core.max_recv_sge;
  qp->max_inline = wish.core.max_inline_data;
  if (dct) qp->dc_key = driver.access_key;
  if ((driver.flags & MLX5_QP_FLAG_DCI_STREAM) != 0) {
    qp->streams.resize(std::size_t{1} << driver.dci_streams.log_num_concurent);
    qp->errored_streams_allowed = 1U << driver.dci_streams.log_num_errored;
  }
  const int wrong = dct ? 0 : set_queues(*qp, wish);
  if (wrong != 0) {
    device.qps.erase(qp->handle);
    return wrong;
  }
  qp->uar = uar;
  if (uar != nullptr) uar->qps.push_back(qp);
  if (number != 0) device.give_number(number, qp);
  ++pd->users;
  for (Cq* cq : {send_cq, recv_cq})
    if (cq != nullptr) ++cq->users;
  if (srq != nullptr) ++srq->users;
  const ib_uverbs_create_qp_resp core = {qp->handle,
                                         number,
                                         qp->max_send_wr,
                                         qp->max_recv_wr,
                                         qp->max_send_sge,
                                         qp->max_recv_sge,
                                         qp->max_inline,
                                         0,
                                         {}};
  if (extended) {
    const ib_uverbs_ex_create_qp_resp answer = {core, 0, sizeof answer};
    command.write(answer);
    command.write_driver(sizeof answer, mlx5_ib_create_qp_resp{});
  } else {
    command.write(core);
    command.write_driver(sizeof core, mlx5_ib_create_qp_resp{});
  }
  return 0;
}

}  // namespace soft_mlx5
