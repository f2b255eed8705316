// Each fault that a run can ask for; tests/soft_mlx5/run requests each with probability 1.
#include <cstdlib>
#include <string>

#include "tests/soft_mlx5/rig.h"

namespace soft_mlx5_test {

namespace {

class Fault : public ::testing::Test {
 protected:
  // Whether this run has the fault `name`.
  static bool has(const std::string& name) {
    const char* const given = std::getenv("SOFT_MLX5");
    return given != nullptr && (std::string(given) + ",").find("," + name) != std::string::npos;
  }
};

#define NEEDS(name) \
  if (!has(name)) GTEST_SKIP() << "needs --fault " name

struct Connected {
  explicit Connected(const QpWish& wish = {}) {
    a = rig.make_rc(wish);
    b = rig.make_rc(wish);
    rig.connect(a, b, wish);
  }
  Rig rig;
  ibv_qp* a = nullptr;
  ibv_qp* b = nullptr;
};

Done send_once(std::uint8_t rnr_retries) {
  Rig rig;
  QpWish wish;
  wish.srq = rig.make_srq(4);
  wish.rnr_retries = rnr_retries;
  ibv_qp* const a = rig.make_rc(wish);
  ibv_qp* const b = rig.make_rc(wish);
  rig.connect(a, b, wish);
  rig.post_receive(wish.srq, 60, 64, 1000);
  EXPECT_EQ(post(rig, a, Op{.opcode = IBV_WR_SEND, .local = 1, .id = 1}), 0);
  Done done = rig.next();
  return done.id == 1 ? done : rig.next();
}

TEST_F(Fault, rnr) {
  NEEDS("rnr=");
  EXPECT_EQ(send_once(0).status, IBV_WC_RNR_RETRY_EXC_ERR);
  EXPECT_EQ(send_once(7).status, IBV_WC_SUCCESS);
}

TEST_F(Fault, flush) {
  NEEDS("flush=");
  Connected pair;
  ASSERT_EQ(post(pair.rig, pair.a, Op{.local = 1, .remote = pair.rig.at(3)}), 0);
  EXPECT_EQ(pair.rig.next().status, IBV_WC_WR_FLUSH_ERR);
  EXPECT_EQ(pair.rig.state_of(pair.a), IBV_QPS_ERR);
}

TEST_F(Fault, retry) {
  NEEDS("retry=");
  Connected pair;
  ASSERT_EQ(post(pair.rig, pair.a, Op{.local = 1, .remote = pair.rig.at(3)}), 0);
  EXPECT_EQ(pair.rig.next().status, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(Fault, dct) {
  NEEDS("dct=");
  Rig rig;
  ibv_qp* const dci = rig.make_dci();
  Masked op;
  op.remote = rig.at(64);
  op.local = 8;
  op.ah = rig.make_ah(2);
  op.dct = rig.make_dct(rig.make_srq(4), 1)->qp_num;
  op.dc_key = 1;
  ASSERT_EQ(post(rig, dci, op), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_RETRY_EXC_ERR);
  ibv_qp* const a = rig.make_rc();
  ibv_qp* const b = rig.make_rc();
  rig.connect(a, b);
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
}

std::uint8_t atomic_capability(ibv_context* context, std::size_t at) {
  std::vector<std::uint8_t> in(16);
  std::vector<std::uint8_t> out(4112);
  in[0] = 1;
  in[7] = 3 << 1 | 1;
  EXPECT_EQ(mlx5dv_devx_general_cmd(context, in.data(), in.size(), out.data(), out.size()), 0);
  return out[16 + at];
}

TEST_F(Fault, no_masks) {
  NEEDS("no-masks");
  Connected pair;
  EXPECT_EQ(atomic_capability(pair.rig.context, 19), 3);
  EXPECT_EQ(atomic_capability(pair.rig.context, 23), 8);
  Masked op;
  op.remote = pair.rig.at(64);
  op.local = 8;
  ASSERT_EQ(post(pair.rig, pair.a, op), 0);
  EXPECT_EQ(pair.rig.next().status, IBV_WC_REM_INV_REQ_ERR);
}

TEST_F(Fault, swapped_reply) {
  NEEDS("swapped-reply");
  Connected pair;
  EXPECT_EQ(atomic_capability(pair.rig.context, 8) >> 6, 0);
  pair.rig.memory[64] = pair.rig.memory[65] = 0x0102030405060708;
  Masked op;
  op.remote = pair.rig.at(64);
  op.local = 8;
  ASSERT_EQ(post(pair.rig, pair.a, op), 0);
  EXPECT_EQ(pair.rig.next().status, IBV_WC_SUCCESS);
  EXPECT_EQ(pair.rig.memory[8], 0x0807060504030201U);
  op.bytes = 16;
  ASSERT_EQ(post(pair.rig, pair.a, op), 0);
  EXPECT_EQ(pair.rig.next().status, IBV_WC_SUCCESS);
  EXPECT_EQ(pair.rig.memory[9], 0x0102030405060708U);
}

}  // namespace

}  // namespace soft_mlx5_test
