// DC: initiators, targets, streams, keys, and errors.
#include "tests/soft_mlx5/rig.h"

namespace soft_mlx5_test {

namespace {

constexpr std::uint64_t kKey = 0x1234'5678'9abc'def0;

class Dc : public ::testing::Test {
 protected:
  // A WRITE of one word, or a SEND.
  int post_to(ibv_qp* dci, ibv_qp* target, std::uint64_t id, bool send = false,
              std::uint64_t key = kKey, unsigned stream = 0) {
    ibv_qp_ex* const qp = ibv_qp_to_qp_ex(dci);
    mlx5dv_qp_ex* const own = mlx5dv_qp_ex_from_ibv_qp_ex(qp);
    ibv_wr_start(qp);
    qp->wr_id = id;
    qp->wr_flags = IBV_SEND_SIGNALED;
    if (send)
      ibv_wr_send(qp);
    else
      ibv_wr_rdma_write(qp, rig.mr->rkey, rig.at(500));
    ibv_wr_set_sge(qp, rig.mr->lkey, rig.at(1), 8);
    if (stream == 0)
      mlx5dv_wr_set_dc_addr(own, ah, target->qp_num, key);
    else
      mlx5dv_wr_set_dc_addr_stream(own, ah, target->qp_num, key,
                                   static_cast<std::uint16_t>(stream));
    return ibv_wr_complete(qp);
  }
  Rig rig;
  ibv_srq* srq = rig.make_srq(16);
  ibv_ah* ah = rig.make_ah(2);
  ibv_qp* dct = rig.make_dct(srq, kKey);
};

TEST_F(Dc, a_target_has_a_number_when_it_is_ready) {
  ASSERT_NE(dct, nullptr);
  EXPECT_NE(dct->qp_num, 0U);
}

TEST_F(Dc, one_initiator_writes_and_sends_to_many_targets) {
  ibv_qp* const dci = rig.make_dci();
  ibv_qp* const other = rig.make_dct(srq, kKey);
  rig.memory[1] = 55;
  for (ibv_qp* to : {dct, other, dct}) {
    rig.memory[500] = 0;
    ASSERT_EQ(post_to(dci, to, 1), 0);
    EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
    EXPECT_EQ(rig.memory[500], 55U);
  }
  rig.post_receive(srq, 600, 64, 1001);
  ASSERT_EQ(post_to(dci, other, 2, true), 0);
  EXPECT_EQ(rig.next().id + rig.next().id, 1003U);
  EXPECT_EQ(rig.memory[600], 55U);
}

TEST_F(Dc, masked_atomics_go_to_targets) {
  ibv_qp* const dci = rig.make_dci();
  for (const std::uint32_t bytes : {8U, 16U, 32U}) {
    Masked faa;
    faa.compares = false;
    faa.bytes = bytes;
    faa.remote = rig.at(512);
    faa.local = 8;
    faa.ah = ah;
    faa.dct = dct->qp_num;
    faa.dc_key = kKey;
    faa.swap = {1, 2, 3, 4};
    faa.swap_mask.fill(1ULL << 63);
    std::fill_n(rig.memory.begin() + 512, 4, 10);
    ASSERT_EQ(post(rig, dci, faa), 0);
    EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
    for (std::size_t i = 0; i < bytes / 8; ++i) EXPECT_EQ(rig.memory[512 + i], 11 + i);
  }
}

TEST_F(Dc, a_wrong_key_gets_no_response) {
  ibv_qp* const dci = rig.make_dci();
  ASSERT_EQ(post_to(dci, dct, 1, false, kKey + 1), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(Dc, an_initiator_recovers_by_reset_after_its_target_is_gone) {
  ibv_qp* const dci = rig.make_dci();
  ibv_qp* const other = rig.make_dct(srq, kKey);
  const std::uint32_t number = dci->qp_num;
  rig.destroy(dct);
  mlx5dv_qp_ex* const own = mlx5dv_qp_ex_from_ibv_qp_ex(ibv_qp_to_qp_ex(dci));
  ASSERT_NE(own, nullptr);
  // The test keeps the number of the target: its QP no longer exists.
  ibv_qp gone = *other;
  gone.qp_num = 0xffffff;
  ASSERT_EQ(post_to(dci, &gone, 1), 0);
  ASSERT_EQ(post_to(dci, other, 2), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(rig.next().status, IBV_WC_WR_FLUSH_ERR);
  EXPECT_EQ(rig.state_of(dci), IBV_QPS_ERR);
  ASSERT_EQ(rig.to(dci, IBV_QPS_RESET), 0);
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  ASSERT_EQ(ibv_modify_qp(dci, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT), 0);
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  ASSERT_EQ(ibv_modify_qp(dci, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU), 0);
  ASSERT_EQ(rig.to_rts(dci), 0);
  EXPECT_EQ(dci->qp_num, number);
  ASSERT_EQ(post_to(dci, other, 3), 0);
  const Done done = rig.next();
  EXPECT_EQ(done.id, 3U);
  EXPECT_EQ(done.status, IBV_WC_SUCCESS);
}

TEST_F(Dc, a_stream_that_waits_does_not_block_another) {
  ibv_qp* const dci = rig.make_dci(2, 2);
  ASSERT_NE(dci, nullptr);
  rig.memory[1] = 9;
  ASSERT_EQ(post_to(dci, dct, 1, true, kKey, 1), 0);  // there is no RECV
  ASSERT_EQ(post_to(dci, dct, 2, false, kKey, 2), 0);
  for (int i = 0; i < 100 && rig.memory[500] != 9; ++i) rig.is_quiet(10);
  EXPECT_EQ(rig.memory[500], 9U);
  rig.post_receive(srq, 600, 64, 1001);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
}

TEST_F(Dc, a_failed_stream_is_reset_alone) {
  ibv_qp* const dci = rig.make_dci(2, 2);
  ASSERT_EQ(post_to(dci, dct, 1, false, kKey + 1, 1), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(rig.state_of(dci), IBV_QPS_RTS);
  ASSERT_EQ(post_to(dci, dct, 2, false, kKey, 1), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_WR_FLUSH_ERR);
  ASSERT_EQ(post_to(dci, dct, 3, false, kKey, 2), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  ASSERT_EQ(mlx5dv_dci_stream_id_reset(dci, 1), 0);
  ASSERT_EQ(post_to(dci, dct, 4, false, kKey, 1), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
}

TEST_F(Dc, failures_of_the_maximum_number_of_streams_put_the_initiator_in_error) {
  ibv_qp* const dci = rig.make_dci(2, 1);
  for (unsigned stream : {1U, 2U}) {
    ASSERT_EQ(post_to(dci, dct, stream, false, kKey + 1, stream), 0);
    EXPECT_EQ(rig.next().status, IBV_WC_RETRY_EXC_ERR);
  }
  EXPECT_EQ(rig.state_of(dci), IBV_QPS_ERR);
  EXPECT_NE(mlx5dv_dci_stream_id_reset(dci, 1), 0);
}

TEST_F(Dc, a_target_needs_a_receive_queue_and_cannot_change_its_state) {
  EXPECT_EQ(rig.make_dct(nullptr, kKey), nullptr);
  EXPECT_NE(rig.to(dct, IBV_QPS_ERR), 0);
}

}  // namespace

}  // namespace soft_mlx5_test
