// The properties of the device: a ConnectX-5 with one port.
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/commands.h"

namespace soft_mlx5 {

namespace {

constexpr std::uint64_t kFirmware = 16ULL << 32 | 35 << 16 | 3006;
constexpr std::uint32_t kPart = 4121;
constexpr std::uint8_t kRdAtomic = 16;
constexpr std::uint8_t kLogRdAtomic = 4;

ib_uverbs_query_device_resp attributes() {
  ib_uverbs_query_device_resp all = {};
  all.fw_ver = kFirmware;
  all.node_guid = all.sys_image_guid = be64(kGuid);
  all.max_mr_size = ~0ULL;
  all.page_size_cap = 0xffff'ffff'ffff'f000;
  all.vendor_id = 0x2c9;
  all.vendor_part_id = kPart;
  all.max_qp = 1 << 17;
  all.max_qp_wr = 1 << 15;
  all.max_sge = 30;
  all.max_sge_rd = 30;
  all.max_cq = 1 << 17;
  all.max_cqe = (1 << 22) - 1;
  all.max_mr = 1 << 17;
  all.max_pd = 1 << 17;
  all.max_qp_rd_atom = all.max_qp_init_rd_atom = kRdAtomic;
  all.max_res_rd_atom = config().rd_atomic != 0 ? config().rd_atomic : kRdAtomic * all.max_qp;
  all.atomic_cap = config().no_atomics ? IBV_ATOMIC_NONE : IBV_ATOMIC_HCA;
  all.max_ah = 1 << 17;
  all.max_srq = 1 << 17;
  all.max_srq_wr = 1 << 15;
  all.max_srq_sge = 31;
  all.max_pkeys = 128;
  all.local_ca_ack_delay = 16;
  all.phys_port_cnt = 1;
  all.device_cap_flags = IBV_DEVICE_SRQ_RESIZE;
  return all;
}

void set_cap16(std::byte* block, std::size_t at, std::uint16_t value) {
  store_be16(block + at, value);
}

}  // namespace

int get_context(Device& device, Context& context, const Command& command) {
  int ends[2] = {-1, -1};
  if (context.async_write >= 0) return EINVAL;
  if (!open_event_channel(ends)) return errno;
  context.async_write = ends[1];
  ib_uverbs_get_context_resp core = {};
  core.async_fd = static_cast<std::uint32_t>(ends[0]);
  core.num_comp_vectors = 1;
  mlx5_ib_alloc_ucontext_resp driver = {};
  driver.qp_tab_size = 1 << 17;
  driver.bf_reg_size = 512;
  driver.tot_bfregs = 0;  // UARs are allocated one by one
  driver.cache_line_size = 64;
  driver.max_sq_desc_sz = 1024;
  driver.max_rq_desc_sz = 512;
  driver.max_send_wqebb = 1 << 15;
  driver.max_recv_wr = 1 << 15;
  driver.max_srq_recv_wr = 1 << 15;
  driver.num_ports = 1;
  driver.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET;
  driver.response_length = sizeof driver;
  driver.cqe_version = 1;
  driver.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE | MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
  driver.eth_min_inline = MLX5_USER_INLINE_MODE_NONE;
  driver.clock_info_versions = 1 << MLX5_IB_CLOCK_INFO_V1;
  driver.log_uar_size = 12;
  driver.num_uars_per_page = 1;
  driver.num_dyn_bfregs = 1024;
  command.write(core);
  command.write_driver(sizeof core, driver);
  device.start_engine();
  return 0;
}

int query_device(const Command& command, bool extended) {
  if (!extended) {
    command.write(attributes());
    return 0;
  }
  ib_uverbs_ex_query_device_resp all = {};
  all.base = attributes();
  all.response_length = static_cast<std::uint32_t>(std::min(
      sizeof all, command.driver_answer_at != 0 ? command.driver_answer_at : command.answer_bytes));
  all.timestamp_mask = ~0ULL;
  all.hca_core_clock = 156'250;
  all.max_dm_size = Pages::kMemoryPages * kPage / 2;
  std::byte core[sizeof all];
  std::memcpy(core, &all, sizeof all);
  std::memcpy(command.answer, core, all.response_length);
  if (command.driver_answer_at == 0) return 0;
  mlx5_ib_query_device_resp driver = {};
  driver.response_length = sizeof driver;
  driver.dci_streams_caps.max_log_num_concurent = 4;
  driver.dci_streams_caps.max_log_num_errored = 4;
  command.write_driver(0, driver);
  return 0;
}

int query_port(const Command& command) {
  const auto asked = command.read<ib_uverbs_query_port>();
  if (asked.port_num != 1) return EINVAL;
  ib_uverbs_query_port_resp port = {};
  port.max_msg_sz = 1U << 30;
  port.gid_tbl_len = static_cast<std::uint32_t>(gids().size());
  port.pkey_tbl_len = 1;
  port.state = IBV_PORT_ACTIVE;
  port.max_mtu = IBV_MTU_4096;
  port.active_mtu = config().infiniband ? IBV_MTU_4096 : IBV_MTU_1024;
  port.max_vl_num = 1;
  port.active_width = 2;
  port.active_speed = 32;
  port.phys_state = 5;
  if (config().infiniband) {
    port.lid = kLid;
    port.sm_lid = 1;
    port.subnet_timeout = 18;
    port.link_layer = IBV_LINK_LAYER_INFINIBAND;
    if (config().needs_grh) port.flags = IBV_QPF_GRH_REQUIRED;
  } else {
    port.link_layer = IBV_LINK_LAYER_ETHERNET;
    port.flags = IBV_QPF_GRH_REQUIRED;
  }
  command.write(port);
  return 0;
}

// QUERY_HCA_CAP (0x0100): general (0) and atomic (3) capabilities, at the offsets that
// backends/ibverbs/mlx5.cc reads. Other requests fail as an unknown operation.
void query_hca_cap(const std::byte* in, std::size_t in_bytes, std::byte* out,
                   std::size_t out_bytes) {
  std::memset(out, 0, out_bytes);
  constexpr std::byte kBadOperation{2};
  constexpr std::byte kBadSize{0x50};
  if (in_bytes < 16 || out_bytes < 16) return;
  if (load_be16(in) != 0x0100) {
    out[0] = kBadOperation;
    return;
  }
  if (out_bytes < 16 + 256) {
    out[0] = kBadSize;
    return;
  }
  std::byte* const block = out + 16;
  switch (load_be16(in + 6) >> 1) {
    case 0:
      block[36] = std::byte{0x20};  // qpc_extension
      block[37] = std::byte{kLogRdAtomic};
      block[39] = std::byte{kLogRdAtomic};
      block[41] = std::byte{kLogRdAtomic};
      block[43] = std::byte{kLogRdAtomic};
      block[67] = std::byte{0x22};  // DCT, atomics
      break;
    case 3:
      block[8] = config().swapped_reply ? std::byte{0} : std::byte{0x40};  // 8 bytes: host order
      if (config().no_atomics) break;
      set_cap16(block, 18, config().no_masks ? 3 : 15);
      set_cap16(block, 22, config().no_masks ? 0x08 : 0x3c);
      set_cap16(block, 26, config().no_masks ? 0x08 : 0x3c);
      break;
    default:
      out[0] = kBadOperation;
  }
}

}  // namespace soft_mlx5
