// The write() ABI, and short commands.
#include "tools/soft-mlx5/commands.h"

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include <algorithm>
#include <cerrno>

#include "tools/soft-mlx5/bits.h"

namespace soft_mlx5 {

namespace {

constexpr std::uint32_t kExtended = IB_USER_VERBS_CMD_FLAG_EXTENDED;
constexpr std::uint32_t kNumber = 0xff;

int allocate_pd(Device& device, Context& context, const Command& command) {
  Pd* const pd = device.add(device.pds, &context);
  pd->number = pd->handle;
  const ib_uverbs_alloc_pd_resp core = {pd->handle};
  command.write(core);
  command.write_driver(sizeof core, mlx5_ib_alloc_pd_resp{pd->number});
  return 0;
}

int create_channel(Device& device, Context& context, const Command& command) {
  int ends[2] = {-1, -1};
  if (!open_event_channel(ends)) return errno;
  Channel* const channel = device.add(device.channels, &context);
  channel->read_end = ends[0];
  channel->write_end = ends[1];
  command.write(ib_uverbs_create_comp_channel_resp{static_cast<std::uint32_t>(ends[0])});
  return 0;
}

int create_ah(Device& device, Context& context, const Command& command) {
  const auto asked = command.read<ib_uverbs_create_ah>();
  if (Device::find(device.pds, &context, asked.pd_handle) == nullptr) return EINVAL;
  if (asked.attr.port_num != 1) return EINVAL;
  if (!config().infiniband) {
    if (asked.attr.is_global == 0 || asked.attr.grh.sgid_index < 1 ||
        asked.attr.grh.sgid_index >= gids().size())
      return EINVAL;
    Gid gid;
    std::copy(std::begin(asked.attr.grh.dgid), std::end(asked.attr.grh.dgid), gid.begin());
    if (std::find(gids().begin(), gids().end(), gid) == gids().end()) return ETIMEDOUT;
  }
  Ah* const ah = device.add(device.ahs, &context);
  const ib_uverbs_create_ah_resp core = {ah->handle};
  mlx5_ib_create_ah_resp driver = {};
  driver.response_length = sizeof driver;
  driver.dmac[0] = 2;
  driver.dmac[5] = asked.attr.grh.dgid[15];
  command.write(core);
  command.write_driver(sizeof core, driver);
  return 0;
}

int destroy_ah(Device& device, Context& context, const Command& command) {
  const auto handle = command.read<ib_uverbs_destroy_ah>().ah_handle;
  if (Device::find(device.ahs, &context, handle) == nullptr) return EINVAL;
  device.ahs.erase(handle);
  return 0;
}

template <class T>
int destroy(Device& device, Context& context, Table<T>& table, std::uint32_t handle,
            const Command& command) {
  T* const object = Device::find(table, &context, handle);
  if (object == nullptr) return EINVAL;
  // CQs have two counts, other objects one.
  const std::uint32_t counts[2] = {
      std::is_same_v<T, Cq> ? object->events_read : object->async_events_read,
      object->async_events_read};
  const int wrong = device.destroy(object);
  if (wrong == 0) command.write(counts);
  return wrong;
}

int modify_srq(Device& device, Context& context, const Command& command) {
  const auto asked = command.read<ib_uverbs_modify_srq>();
  Srq* const srq = Device::find(device.srqs, &context, asked.srq_handle);
  if (srq == nullptr) return EINVAL;
  if ((asked.attr_mask & IBV_SRQ_MAX_WR) != 0) return EINVAL;
  if ((asked.attr_mask & IBV_SRQ_LIMIT) != 0) {
    if (asked.srq_limit >= srq->entries) return EINVAL;
    srq->limit = asked.srq_limit;
  }
  return 0;
}

int query_srq(Device& device, Context& context, const Command& command) {
  const auto asked = command.read<ib_uverbs_query_srq>();
  const Srq* const srq = Device::find(device.srqs, &context, asked.srq_handle);
  if (srq == nullptr) return EINVAL;
  command.write(ib_uverbs_query_srq_resp{srq->max_wr, srq->max_sge, srq->limit, 0});
  return 0;
}

int change_qp(Device& device, Context& context, const Command& command, bool extended) {
  const auto change = command.read<ib_uverbs_modify_qp>();
  Qp* const qp = Device::find(device.qps, &context, change.qp_handle);
  if (qp == nullptr) return EINVAL;
  const int wrong = modify_qp(device, *qp, change);
  if (wrong != 0 || !extended) return wrong;
  const ib_uverbs_ex_modify_qp_resp core = {0, sizeof core};
  command.write(core);
  command.write_driver(sizeof core,
                       mlx5_ib_modify_qp_resp{sizeof(mlx5_ib_modify_qp_resp), qp->number, 0, 0});
  return 0;
}

int execute(Device& device, Context& context, const Command& command) {
  const bool extended = (command.number & kExtended) != 0;
  if (extended) switch (command.number & kNumber) {
      case IB_USER_VERBS_EX_CMD_QUERY_DEVICE:
        return query_device(command, true);
      case IB_USER_VERBS_EX_CMD_CREATE_CQ:
        return create_cq(device, context, command, true);
      case IB_USER_VERBS_EX_CMD_CREATE_QP:
        return create_qp(device, context, command, true);
      case IB_USER_VERBS_EX_CMD_MODIFY_QP:
        return change_qp(device, context, command, true);
      default:
        return EOPNOTSUPP;
    }
  switch (command.number) {
    case IB_USER_VERBS_CMD_GET_CONTEXT:
      return get_context(device, context, command);
    case IB_USER_VERBS_CMD_QUERY_DEVICE:
      return query_device(command, false);
    case IB_USER_VERBS_CMD_QUERY_PORT:
      return query_port(command);
    case IB_USER_VERBS_CMD_ALLOC_PD:
      return allocate_pd(device, context, command);
    case IB_USER_VERBS_CMD_DEALLOC_PD:
      return destroy(device, context, device.pds, command.read<ib_uverbs_dealloc_pd>().pd_handle,
                     Command{});
    case IB_USER_VERBS_CMD_CREATE_AH:
      return create_ah(device, context, command);
    case IB_USER_VERBS_CMD_DESTROY_AH:
      return destroy_ah(device, context, command);
    case IB_USER_VERBS_CMD_REG_MR:
      return register_memory(device, context, command);
    case IB_USER_VERBS_CMD_DEREG_MR:
      return destroy(device, context, device.mrs, command.read<ib_uverbs_dereg_mr>().mr_handle,
                     Command{});
    case IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL:
      return create_channel(device, context, command);
    case IB_USER_VERBS_CMD_CREATE_CQ:
      return create_cq(device, context, command, false);
    case IB_USER_VERBS_CMD_DESTROY_CQ:
      return destroy(device, context, device.cqs, command.read<ib_uverbs_destroy_cq>().cq_handle,
                     command);
    case IB_USER_VERBS_CMD_CREATE_QP:
      return create_qp(device, context, command, false);
    case IB_USER_VERBS_CMD_QUERY_QP: {
      Qp* const qp =
          Device::find(device.qps, &context, command.read<ib_uverbs_query_qp>().qp_handle);
      return qp == nullptr ? EINVAL : query_qp(*qp, command);
    }
    case IB_USER_VERBS_CMD_MODIFY_QP:
      return change_qp(device, context, command, false);
    case IB_USER_VERBS_CMD_DESTROY_QP:
      return destroy(device, context, device.qps, command.read<ib_uverbs_destroy_qp>().qp_handle,
                     command);
    case IB_USER_VERBS_CMD_CREATE_SRQ:
      return create_srq(device, context, command);
    case IB_USER_VERBS_CMD_MODIFY_SRQ:
      return modify_srq(device, context, command);
    case IB_USER_VERBS_CMD_QUERY_SRQ:
      return query_srq(device, context, command);
    case IB_USER_VERBS_CMD_DESTROY_SRQ:
      return destroy(device, context, device.srqs, command.read<ib_uverbs_destroy_srq>().srq_handle,
                     command);
    default:
      return EOPNOTSUPP;
  }
}

// Commands with an answer begin with the address of its buffer.
bool is_answered(std::uint32_t number) {
  switch (number) {
    case IB_USER_VERBS_CMD_DEALLOC_PD:
    case IB_USER_VERBS_CMD_DESTROY_AH:
    case IB_USER_VERBS_CMD_DEREG_MR:
    case IB_USER_VERBS_CMD_MODIFY_QP:
    case IB_USER_VERBS_CMD_MODIFY_SRQ:
      return false;
    default:
      return true;
  }
}

}  // namespace

int execute_write(Context& context, const void* bytes, std::size_t count) {
  ib_uverbs_cmd_hdr header = {};
  if (count < sizeof header) return EINVAL;
  std::memcpy(&header, bytes, sizeof header);
  const auto* const start = static_cast<const std::byte*>(bytes) + sizeof header;
  Command command;
  command.number = header.command;
  if ((header.command & kExtended) != 0) {
    ib_uverbs_ex_cmd_hdr more = {};
    if (count < sizeof header + sizeof more) return EINVAL;
    std::memcpy(&more, start, sizeof more);
    command.core = start + sizeof more;
    command.core_bytes = header.in_words * 8U;
    command.driver = command.core + command.core_bytes;
    command.driver_bytes = more.provider_in_words * 8U;
    if (sizeof header + sizeof more + command.core_bytes + command.driver_bytes != count)
      return EINVAL;
    command.answer = reinterpret_cast<std::byte*>(more.response);
    command.driver_answer_at = more.provider_out_words != 0 ? header.out_words * 8U : 0;
    command.answer_bytes = (header.out_words + more.provider_out_words) * 8U;
  } else {
    if (header.in_words * 4U != count) return EINVAL;
    command.core = start;
    command.core_bytes = count - sizeof header;
    if (is_answered(header.command) && command.core_bytes >= 8) {
      command.answer = reinterpret_cast<std::byte*>(load<std::uint64_t>(start));
      command.answer_bytes = header.out_words * 4U;
    }
  }
  Device& device = Device::get();
  const Device::CallLock lock(device);
  return execute(device, context, command);
}

}  // namespace soft_mlx5
