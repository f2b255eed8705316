#pragma once
// libibverbs and libmlx5 as a program uses them, with a pair of connected QPs for tests. The tests
// run under tools/soft-mlx5/run.

#include <gtest/gtest.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace soft_mlx5_test {

inline constexpr int kAllRights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
                                  IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

struct QpWish {
  std::uint32_t depth = 16;
  std::uint32_t inline_bytes = 128;
  std::uint32_t send_sge = 2;
  ibv_srq* srq = nullptr;
  std::uint8_t timeout = 1;  // 8 us
  std::uint8_t retries = 2;
  std::uint8_t rnr_retries = 7;
  int rights = kAllRights;
  bool scatters = false;  // small results into completions
  bool signals_all = false;
};

// A completion, as ibv_poll_cq returns it.
struct Done {
  std::uint64_t id = 0;
  ibv_wc_status status = IBV_WC_GENERAL_ERR;
  ibv_wc_opcode opcode = IBV_WC_SEND;
  std::uint32_t bytes = 0;
  std::uint32_t immediate = 0;
};

class Rig {
 public:
  Rig();
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_cq* cq = nullptr;
  ibv_comp_channel* channel = nullptr;
  bool infiniband = false;
  std::uint16_t lid = 0;

  // Registered memory: the targets of verbs and their local buffers.
  struct alignas(4096) Words : std::array<std::uint64_t, 4096> {};
  std::unique_ptr<Words> words = std::make_unique<Words>();
  Words& memory = *words;
  ibv_mr* mr = nullptr;
  std::uint64_t at(std::size_t word) const {
    return reinterpret_cast<std::uint64_t>(memory.data() + word);
  }

  ibv_qp* make_rc(const QpWish& wish = {});
  ibv_qp* make_dci(unsigned log_streams = 0, unsigned log_errored = 0, std::uint8_t timeout = 1,
                   std::uint8_t rnr_retries = 7);
  ibv_qp* make_dct(ibv_srq* srq, std::uint64_t key);
  ibv_srq* make_srq(std::uint32_t entries);
  ibv_ah* make_ah(int node);  // of address 10.77.0.node, or of the port's LID
  void post_receive(ibv_srq* srq, std::size_t word, std::uint32_t bytes, std::uint64_t id);
  void destroy(ibv_qp* qp);

  int to_init(ibv_qp* qp, int rights = kAllRights);
  int to_rtr(ibv_qp* qp, std::uint32_t peer, std::uint32_t psn = 7, int node = 1);
  int to_rts(ibv_qp* qp, const QpWish& wish = {}, std::uint32_t psn = 7);
  int to(ibv_qp* qp, ibv_qp_state state);
  ibv_qp_state state_of(ibv_qp* qp);
  void connect(ibv_qp* a, ibv_qp* b, const QpWish& wish = {});

  // Waits for one; fails the test after 5 s.
  Done next();
  // No completion arrives for a while.
  bool is_quiet(int milliseconds = 20);

  ibv_ah_attr address_of(int node) const;

 private:
  std::vector<ibv_qp*> qps_;
  std::vector<ibv_srq*> srqs_;
  std::vector<ibv_ah*> ahs_;
};

// ---- posting ----

struct Op {
  ibv_wr_opcode opcode = IBV_WR_RDMA_READ;
  std::size_t local = 0;  // word of the rig's memory
  std::uint64_t remote = 0;
  std::uint32_t bytes = 8;
  std::uint32_t rkey = 0;
  std::uint64_t id = 1;
  std::uint64_t add_or_compare = 0;
  std::uint64_t swap = 0;
  unsigned flags = IBV_SEND_SIGNALED;
  std::uint32_t immediate = 0;
};
int post(Rig& rig, ibv_qp* qp, const Op& op);

// A masked atomic, encoded here from the published layout.
struct Masked {
  bool compares = true;
  std::uint32_t bytes = 8;
  std::array<std::uint64_t, 4> swap = {};
  std::array<std::uint64_t, 4> compare = {};
  std::array<std::uint64_t, 4> swap_mask = {};
  std::array<std::uint64_t, 4> compare_mask = {};
  std::uint64_t remote = 0;
  std::uint32_t rkey = 0;
  std::size_t local = 0;
  std::uint64_t id = 1;
  // DC
  ibv_ah* ah = nullptr;
  std::uint32_t dct = 0;
  std::uint64_t dc_key = 0;
};
std::vector<std::uint8_t> encode(const Rig& rig, const ibv_qp* qp, const Masked& op);
int post_raw(ibv_qp* qp, std::uint64_t id, const std::vector<std::uint8_t>& wqe);
int post(Rig& rig, ibv_qp* qp, const Masked& op);

}  // namespace soft_mlx5_test
