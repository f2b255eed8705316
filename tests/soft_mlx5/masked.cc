// Masked atomics, encoded from their published layout.
#include "tests/soft_mlx5/rig.h"

namespace soft_mlx5_test {

namespace {

class Bytes {
 public:
  void u32(std::uint32_t v) {
    for (int shift = 24; shift >= 0; shift -= 8)
      all.push_back(static_cast<std::uint8_t>(v >> shift));
  }
  void u64(std::uint64_t v) {
    u32(static_cast<std::uint32_t>(v >> 32));
    u32(static_cast<std::uint32_t>(v));
  }
  void words(const std::array<std::uint64_t, 4>& v, std::uint32_t bytes) {
    if (bytes == 4) return u32(static_cast<std::uint32_t>(v[0]));
    for (std::size_t i = 0; i < bytes / 8; ++i) u64(v[i]);
  }
  std::vector<std::uint8_t> all;
};

}  // namespace

std::vector<std::uint8_t> encode(const Rig& rig, const ibv_qp* qp, const Masked& op) {
  Bytes out;
  unsigned log = 0;
  while ((4U << log) < op.bytes) ++log;
  out.u32((8 | log) << 24 | (op.compares ? 0x14U : 0x15U));
  out.u32(qp->qp_num << 8);
  out.u32(0x08);  // signalled
  out.u32(0);
  if (op.ah != nullptr) {
    mlx5dv_ah own = {};
    mlx5dv_obj object = {};
    object.ah.in = op.ah;
    object.ah.out = &own;
    mlx5dv_init_obj(&object, MLX5DV_OBJ_AH);
    const auto* const av = reinterpret_cast<const std::uint8_t*>(own.av);
    Bytes head;
    head.u64(op.dc_key);
    head.u32(op.dct | 0x8000'0000);
    out.all.insert(out.all.end(), head.all.begin(), head.all.end());
    out.all.insert(out.all.end(), av + 12, av + 48);
  }
  out.u64(op.remote);
  out.u32(op.rkey != 0 ? op.rkey : rig.mr->rkey);
  out.u32(0);
  out.words(op.swap, op.bytes);
  if (op.compares) out.words(op.compare, op.bytes);
  out.words(op.swap_mask, op.bytes);
  if (op.compares) out.words(op.compare_mask, op.bytes);
  if (!op.compares && op.bytes == 4) out.u64(0);
  out.u32(op.bytes);
  out.u32(rig.mr->lkey);
  out.u64(rig.at(op.local));
  out.all[7] = static_cast<std::uint8_t>(out.all.size() / 16);
  return out.all;
}

int post_raw(ibv_qp* qp, std::uint64_t id, const std::vector<std::uint8_t>& wqe) {
  ibv_qp_ex* const extended = ibv_qp_to_qp_ex(qp);
  ibv_wr_start(extended);
  extended->wr_id = id;
  mlx5dv_wr_raw_wqe(mlx5dv_qp_ex_from_ibv_qp_ex(extended), wqe.data());
  return ibv_wr_complete(extended);
}

int post(Rig& rig, ibv_qp* qp, const Masked& op) {
  return post_raw(qp, op.id, encode(rig, qp, op));
}

}  // namespace soft_mlx5_test
