// Rules that a driver can break without an error from the hardware: here each violation aborts the
// process with a message.
#include <endian.h>
#include <unistd.h>

#include "tests/soft_mlx5/rig.h"

namespace soft_mlx5_test {

namespace {

// The tests do not fork with threads running: each statement runs in a program of its own.
class AbortDeathTest : public ::testing::Test {
 protected:
  AbortDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

struct Pair {
  explicit Pair(const QpWish& wish = {}) {
    a = rig.make_rc(wish);
    b = rig.make_rc(wish);
    rig.connect(a, b, wish);
  }
  Masked cas(std::uint32_t bytes) const {
    Masked op;
    op.bytes = bytes;
    op.remote = rig.at(64);
    op.local = 8;
    return op;
  }
  // A WQE of 8 bytes, with one byte changed.
  void post_changed(std::size_t at, std::uint8_t bits) {
    auto wqe = encode(rig, a, cas(8));
    wqe[at] ^= bits;
    post_raw(a, 1, wqe);
    ::sleep(5);
  }
  mlx5dv_qp queues() const {
    mlx5dv_qp own = {};
    mlx5dv_obj object = {};
    object.qp.in = a;
    object.qp.out = &own;
    mlx5dv_init_obj(&object, MLX5DV_OBJ_QP);
    return own;
  }
  Rig rig;
  ibv_qp* a = nullptr;
  ibv_qp* b = nullptr;
};

TEST_F(AbortDeathTest, send_queue_that_is_too_small_for_raw_wqes) {
  EXPECT_DEATH(
      {
        QpWish wish;
        wish.depth = 16;
        wish.send_sge = 1;
        wish.inline_bytes = 0;  // 64 bytes per WQE, but a masked CAS needs 80
        Pair pair(wish);
        ibv_qp_ex* const qp = ibv_qp_to_qp_ex(pair.a);
        ibv_wr_start(qp);
        for (std::uint64_t i = 0; i < 16; ++i) {
          qp->wr_id = i;
          const auto wqe = encode(pair.rig, pair.a, pair.cas(8));
          mlx5dv_wr_raw_wqe(mlx5dv_qp_ex_from_ibv_qp_ex(qp), wqe.data());
        }
        ibv_wr_complete(qp);
        ::sleep(5);
      },
      "soft-mlx5: .*overrun");
}

TEST_F(AbortDeathTest, doorbell_for_a_wqe_that_was_not_written) {
  EXPECT_DEATH(
      {
        Pair pair;
        pair.queues().dbrec[MLX5_SND_DBR] = htobe32(3);
        ::sleep(5);
      },
      "soft-mlx5: .*");
}

TEST_F(AbortDeathTest, wqe_of_an_earlier_round) {
  EXPECT_DEATH(
      {
        Pair pair;
        for (int i = 0; i < 100; ++i) {
          post(pair.rig, pair.a, Op{.local = 1, .remote = pair.rig.at(3)});
          pair.rig.next();
        }
        __be32& record = pair.queues().dbrec[MLX5_SND_DBR];
        record = htobe32(be32toh(record) + 1);
        ::sleep(5);
      },
      "soft-mlx5: .*not written");
}

TEST_F(AbortDeathTest, reserved_bits) {
  EXPECT_DEATH(Pair().post_changed(31, 1), "soft-mlx5: .*reserved bit.*remote address");
  EXPECT_DEATH(Pair().post_changed(11, 1), "soft-mlx5: .*reserved bit.*fm_ce_se");
  EXPECT_DEATH(Pair().post_changed(7, 0x40), "soft-mlx5: .*reserved bit.*ds");
  EXPECT_DEATH(Pair().post_changed(15, 1), "soft-mlx5: .*reserved bit.*immediate");
  EXPECT_DEATH(Pair().post_changed(8, 1), "soft-mlx5: .*signature");
}

TEST_F(AbortDeathTest, reserved_bits_of_an_address_vector) {
  const auto post_with = [](std::size_t at, std::uint8_t bits) {
    Rig rig;
    ibv_qp* const dci = rig.make_dci();
    Masked op;
    op.remote = rig.at(64);
    op.local = 8;
    op.ah = rig.make_ah(2);
    op.dct = rig.make_dct(rig.make_srq(4), 1)->qp_num;
    op.dc_key = 1;
    auto wqe = encode(rig, dci, op);
    wqe[at] ^= bits;
    post_raw(dci, 1, wqe);
    ::sleep(5);
  };
  EXPECT_DEATH(post_with(16 + 8, 0x80), "soft-mlx5: .*48 bytes");
  EXPECT_DEATH(post_with(16 + 8, 0x10), "soft-mlx5: .*reserved bit.*DCT");
  EXPECT_DEATH(post_with(16 + 17, 1), "soft-mlx5: .*reserved bit.*address vector");
}

TEST_F(AbortDeathTest, ds_that_does_not_match_the_length) {
  EXPECT_DEATH(Pair().post_changed(7, 5 ^ 3), "soft-mlx5: .*3 octowords .ds. end within");
  EXPECT_DEATH(Pair().post_changed(7, 5 ^ 4), "soft-mlx5: .*with a result of 0");
}

TEST_F(AbortDeathTest, wqe_with_the_number_of_another_qp) {
  EXPECT_DEATH(Pair().post_changed(6, 1), "soft-mlx5: .*names QP");
}

TEST_F(AbortDeathTest, atomics_that_are_not_aligned) {
  EXPECT_DEATH(
      {
        Pair pair;
        Masked op = pair.cas(16);
        op.remote += 8;
        post(pair.rig, pair.a, op);
        ::sleep(5);
      },
      "soft-mlx5: .*16 bytes at an address");
  EXPECT_DEATH(
      {
        Pair pair;
        post(pair.rig, pair.a,
             Op{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .local = 1, .remote = pair.rig.at(3) + 4});
        ::sleep(5);
      },
      "soft-mlx5: .*8 bytes at an address");
}

TEST_F(AbortDeathTest, field_of_more_than_64_bits) {
  EXPECT_DEATH(
      {
        Pair pair;
        Masked op = pair.cas(16);
        op.compares = false;
        post(pair.rig, pair.a, op);
        ::sleep(5);
      },
      "soft-mlx5: .*more than 64 bits");
}

TEST_F(AbortDeathTest, completion_queue_that_overflows) {
  EXPECT_DEATH(
      {
        Rig rig;
        ibv_cq* const whole = rig.cq;
        rig.cq = ibv_create_cq(rig.context, 3, nullptr, nullptr, 0);
        ibv_qp* const a = rig.make_rc();
        ibv_qp* const b = rig.make_rc();
        rig.connect(a, b);
        for (int i = 0; i < 8; ++i) post(rig, a, Op{.local = 1, .remote = rig.at(3)});
        ::sleep(5);
        rig.cq = whole;
      },
      "soft-mlx5: CQ .* overrun");
}

TEST_F(AbortDeathTest, receives_beyond_the_end_of_their_queue) {
  EXPECT_DEATH(
      {
        Rig rig;
        QpWish wish;
        wish.srq = rig.make_srq(4);
        ibv_qp* const a = rig.make_rc(wish);
        ibv_qp* const b = rig.make_rc(wish);
        rig.connect(a, b, wish);
        mlx5dv_srq own = {};
        mlx5dv_obj object = {};
        object.srq.in = wish.srq;
        object.srq.out = &own;
        mlx5dv_init_obj(&object, MLX5DV_OBJ_SRQ);
        *own.dbrec = htobe32(100);
        post(rig, a, Op{.opcode = IBV_WR_SEND, .local = 1});
        ::sleep(5);
      },
      "soft-mlx5: SRQ .* room for");
}

}  // namespace

}  // namespace soft_mlx5_test
