#include "backends/ibverbs/mlx5.h"

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace latchlab::ib {

namespace {

// QUERY_HCA_CAP, by the programmer's reference manual: a command header of 16 bytes; the answer has
// a header of that size and then one block of capabilities.
constexpr std::uint16_t kQueryHcaCap = 0x100;
constexpr std::size_t kHead = 16;
constexpr std::size_t kBlock = 4096;
enum class Block : std::uint16_t { general = 0x01, atomic = 0x07 };  // current values, not maxima
using Answer = std::array<std::uint8_t, kHead + kBlock>;

// Big-endian fields of the block.
std::uint32_t half_at(const Answer& answer, std::size_t at) {
  return static_cast<std::uint32_t>(answer[kHead + at]) << 8 | answer[kHead + at + 1];
}
std::uint32_t word_at(const Answer& answer, std::size_t at) {
  return half_at(answer, at) << 16 | half_at(answer, at + 2);
}

bool query(ibv_context* context, Block block, Answer& answer) {
  std::array<std::uint8_t, kHead> asked = {};
  asked[0] = kQueryHcaCap >> 8;
  asked[1] = kQueryHcaCap & 0xff;
  asked[7] = static_cast<std::uint8_t>(block);
  answer = {};
  return mlx5dv_devx_general_cmd(context, asked.data(), asked.size(), answer.data(),
                                 answer.size()) == 0;
}

constexpr std::uint32_t kMaskedCasAndFaa = 0xc;  // bits of atomic_operations
constexpr std::uint32_t kWidths = 8 | 16;        // widths that locks use, in bytes
constexpr std::uint32_t kPciBy8 = 2;             // bit of the sizes of atomics on the bus

void read_atomics(const Answer& answer, Mlx5Facts& facts) {
  facts.host_order = answer[kHead + 8] >> 6 != 0;  // atomic_req_8B_endianness_mode
  if ((half_at(answer, 18) & kMaskedCasAndFaa) == kMaskedCasAndFaa) {
    facts.masked = half_at(answer, 22) & kWidths;          // atomic_size_qp
    facts.masked_dc = facts.masked & half_at(answer, 26);  // atomic_size_dc
  }
  facts.pci_atomics = (half_at(answer, 80) & half_at(answer, 84) & kPciBy8) != 0;
}

void read_dc(const Answer& answer, Mlx5Facts& facts) {
  facts.dc = (answer[kHead + 67] >> 5 & 1) != 0;
  const std::uint32_t both = word_at(answer, 36);  // log_max_ra_req_dc, log_max_ra_res_dc
  if (facts.dc) facts.dc_rd_atomic = 1 << std::min({both >> 16 & 0x3f, both & 0x3f, 8U});
}

constexpr std::uint32_t kExtendedVector = 1U << 31;

}  // namespace

std::optional<Mlx5Facts> mlx5_facts(ibv_context* context) {
  if (!mlx5dv_is_supported(context->device)) return std::nullopt;
  Answer answer;
  Mlx5Facts facts;
  if (!query(context, Block::atomic, answer)) return std::nullopt;
  read_atomics(answer, facts);
  if (!query(context, Block::general, answer)) return std::nullopt;
  read_dc(answer, facts);
  return facts;
}

ibv_qp* mlx5_create_rc(ibv_context* context, ibv_qp_init_attr_ex& wanted) {
  mlx5dv_qp_init_attr driver = {};
  driver.comp_mask =
      MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS | MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
  driver.create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE;
  driver.send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE;
  return mlx5dv_create_qp(context, &wanted, &driver);
}

namespace {

mlx5dv_qp queues_of(ibv_qp* qp) {
  mlx5dv_qp told = {};
  mlx5dv_obj objects = {};
  objects.qp.in = qp;
  objects.qp.out = &told;
  if (!mlx5dv_is_supported(qp->context->device)) return told;
  if (mlx5dv_init_obj(&objects, MLX5DV_OBJ_QP) != 0) return {};
  return told;
}

}  // namespace

std::uint32_t mlx5_send_blocks(ibv_qp* qp) {
  return queues_of(qp).sq.wqe_cnt;
}

const void* mlx5_doorbell(ibv_qp* qp) {
  return queues_of(qp).bf.reg;
}

void mlx5_post_raw(ibv_qp_ex* qp, const void* entry) {
  mlx5dv_wr_raw_wqe(mlx5dv_qp_ex_from_ibv_qp_ex(qp), entry);
}

// ---- the DC transport ----

ibv_qp* mlx5_create_target(ibv_context* context, ibv_qp_init_attr_ex& wanted, std::uint64_t key) {
  mlx5dv_qp_init_attr driver = {};
  driver.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
  driver.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT;
  driver.dc_init_attr.dct_access_key = key;
  return mlx5dv_create_qp(context, &wanted, &driver);
}

ibv_qp* mlx5_create_initiator(ibv_context* context, ibv_qp_init_attr_ex& wanted) {
  mlx5dv_qp_init_attr driver = {};
  driver.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS |
                     MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
  driver.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
  driver.create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE;
  driver.send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE;
  return mlx5dv_create_qp(context, &wanted, &driver);
}

void mlx5_aim(ibv_qp_ex* initiator, ibv_ah* path, std::uint32_t target, std::uint64_t key) {
  mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(initiator), path, target, key);
}

bool mlx5_vector(ibv_ah* path, std::uint32_t target, std::uint64_t key,
                 std::span<std::byte, kAddressVectorBytes> vector) {
  mlx5dv_ah told = {};
  mlx5dv_obj objects = {};
  objects.ah.in = path;
  objects.ah.out = &told;
  if (mlx5dv_init_obj(&objects, MLX5DV_OBJ_AH) != 0) return false;
  mlx5_wqe_av made = *told.av;
  made.key.dc_key = htobe64(key);
  made.dqp_dct |= htobe32(target | kExtendedVector);
  static_assert(sizeof(made) == kAddressVectorBytes);
  std::memcpy(vector.data(), &made, sizeof(made));
  return true;
}

}  // namespace latchlab::ib
