// RC on the soft ConnectX, through libibverbs and libmlx5.
#include <poll.h>

#include "tests/soft_mlx5/rig.h"

namespace soft_mlx5_test {

namespace {

class Rc : public ::testing::Test {
 protected:
  void pair(const QpWish& wish = {}) {
    a = rig.make_rc(wish);
    b = rig.make_rc(wish);
    ASSERT_NE(a, nullptr);
    ASSERT_NE(b, nullptr);
    rig.connect(a, b, wish);
  }
  Rig rig;
  ibv_qp* a = nullptr;
  ibv_qp* b = nullptr;
};

TEST_F(Rc, a_read_returns_the_remote_memory) {
  pair();
  rig.memory[100] = 0x1122334455667788;
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(100)}), 0);
  const Done done = rig.next();
  EXPECT_EQ(done.status, IBV_WC_SUCCESS);
  EXPECT_EQ(done.opcode, IBV_WC_RDMA_READ);
  EXPECT_EQ(done.bytes, 8U);
  EXPECT_EQ(rig.memory[1], 0x1122334455667788U);
}

TEST_F(Rc, a_write_of_many_pages_arrives) {
  pair();
  for (std::size_t i = 0; i < 2000; ++i) rig.memory[i] = i * 3;
  ASSERT_EQ(post(rig, a, Op{.opcode = IBV_WR_RDMA_WRITE, .remote = rig.at(2048), .bytes = 16000}),
            0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  for (std::size_t i = 0; i < 2000; ++i) ASSERT_EQ(rig.memory[2048 + i], i * 3);
}

TEST_F(Rc, inline_data_are_copied_when_posted) {
  pair();
  rig.memory[1] = 42;
  ASSERT_EQ(post(rig, a,
                 Op{.opcode = IBV_WR_RDMA_WRITE,
                    .local = 1,
                    .remote = rig.at(9),
                    .flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE}),
            0);
  rig.memory[1] = 43;
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  EXPECT_EQ(rig.memory[9], 42U);
}

TEST_F(Rc, plain_atomics_return_the_old_value) {
  pair();
  rig.memory[10] = 5;
  post(rig, a,
       Op{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
          .local = 1,
          .remote = rig.at(10),
          .add_or_compare = 7});
  EXPECT_EQ(rig.next().opcode, IBV_WC_FETCH_ADD);
  EXPECT_EQ(rig.memory[1], 5U);
  EXPECT_EQ(rig.memory[10], 12U);
  post(rig, a,
       Op{.opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
          .local = 1,
          .remote = rig.at(10),
          .add_or_compare = 11,
          .swap = 99});
  rig.next();
  EXPECT_EQ(rig.memory[1], 12U);
  EXPECT_EQ(rig.memory[10], 12U);
  post(rig, a,
       Op{.opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
          .local = 1,
          .remote = rig.at(10),
          .add_or_compare = 12,
          .swap = 99});
  rig.next();
  EXPECT_EQ(rig.memory[10], 99U);
}

TEST_F(Rc, a_send_fills_a_receive_of_the_srq) {
  QpWish wish;
  wish.srq = rig.make_srq(8);
  pair(wish);
  rig.post_receive(wish.srq, 50, 64, 1001);
  rig.memory[1] = 77;
  ASSERT_EQ(post(rig, a, Op{.opcode = IBV_WR_SEND_WITH_IMM, .local = 1, .immediate = 0xabcd}), 0);
  Done first = rig.next();
  Done second = rig.next();
  if (first.id != 1001) std::swap(first, second);
  EXPECT_EQ(first.id, 1001U);
  EXPECT_EQ(first.opcode, IBV_WC_RECV);
  EXPECT_EQ(first.bytes, 8U);
  EXPECT_EQ(first.immediate, 0xabcdU);
  EXPECT_EQ(second.opcode, IBV_WC_SEND);
  EXPECT_EQ(rig.memory[50], 77U);
}

TEST_F(Rc, an_srq_of_any_depth_gives_its_receives_in_order) {
  QpWish wish;
  wish.srq = rig.make_srq(5);
  pair(wish);
  for (std::uint64_t i = 0; i < 200; ++i) {
    rig.post_receive(wish.srq, 60, 64, 2000 + i);
    ASSERT_EQ(post(rig, a, Op{.opcode = IBV_WR_SEND, .local = 1, .id = i}), 0);
    const std::uint64_t one = rig.next().id;
    const std::uint64_t other = rig.next().id;
    ASSERT_EQ(one + other, 2000 + 2 * i);
  }
}

TEST_F(Rc, without_a_receive_it_waits_and_then_arrives) {
  QpWish wish;
  wish.srq = rig.make_srq(8);
  pair(wish);
  ASSERT_EQ(post(rig, a, Op{.opcode = IBV_WR_SEND, .local = 1}), 0);
  EXPECT_TRUE(rig.is_quiet());
  rig.post_receive(wish.srq, 50, 64, 1001);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
}

TEST_F(Rc, without_a_receive_it_gives_up_if_retries_are_limited) {
  QpWish wish;
  wish.srq = rig.make_srq(8);
  wish.rnr_retries = 2;
  pair(wish);
  ASSERT_EQ(post(rig, a, Op{.opcode = IBV_WR_SEND, .local = 1}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_RNR_RETRY_EXC_ERR);
  EXPECT_EQ(rig.state_of(a), IBV_QPS_ERR);
}

TEST_F(Rc, a_receive_that_is_too_small_fails_at_both_ends) {
  QpWish wish;
  wish.srq = rig.make_srq(8);
  pair(wish);
  rig.post_receive(wish.srq, 50, 4, 1001);
  ASSERT_EQ(post(rig, a, Op{.opcode = IBV_WR_SEND, .local = 1}), 0);
  Done first = rig.next();
  Done second = rig.next();
  if (first.id != 1001) std::swap(first, second);
  EXPECT_EQ(first.status, IBV_WC_LOC_LEN_ERR);
  EXPECT_EQ(second.status, IBV_WC_REM_INV_REQ_ERR);
}

TEST_F(Rc, keys_ranges_and_rights_are_checked) {
  pair();
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(4095), .bytes = 16}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(rig.state_of(a), IBV_QPS_ERR);
  EXPECT_EQ(rig.state_of(b), IBV_QPS_ERR);
}

TEST_F(Rc, another_protection_domain_has_other_keys) {
  pair();
  ibv_pd* const other = ibv_alloc_pd(rig.context);
  ibv_mr* const mr = ibv_reg_mr(other, rig.memory.data(), 4096, kAllRights);
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3), .rkey = mr->rkey}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(ibv_dealloc_pd(other), EBUSY);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  EXPECT_EQ(ibv_dealloc_pd(other), 0);
}

TEST_F(Rc, a_qp_without_the_right_refuses) {
  QpWish wish;
  wish.rights = IBV_ACCESS_REMOTE_READ;
  pair(wish);
  ASSERT_EQ(
      post(rig, a, Op{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .local = 1, .remote = rig.at(3)}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_REM_INV_REQ_ERR);
}

TEST_F(Rc, verbs_behind_a_failure_are_flushed_signalled_or_not) {
  pair();
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = 4096, .id = 1}), 0);
  for (std::uint64_t i = 2; i < 6; ++i)
    ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3), .id = i, .flags = 0}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_REM_ACCESS_ERR);
  for (std::uint64_t i = 2; i < 6; ++i) {
    const Done done = rig.next();
    EXPECT_EQ(done.id, i);
    EXPECT_EQ(done.status, IBV_WC_WR_FLUSH_ERR);
  }
}

TEST_F(Rc, a_dead_peer_is_detected_after_the_time_of_all_retries) {
  pair();
  rig.destroy(b);
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(Rc, reset_leaves_no_trace_and_the_pair_works_again) {
  pair();
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = 4096}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_REM_ACCESS_ERR);
  post(rig, a, Op{.local = 1, .remote = rig.at(3)});
  EXPECT_EQ(rig.to(a, IBV_QPS_RESET), 0);
  EXPECT_EQ(rig.to(b, IBV_QPS_RESET), 0);
  EXPECT_TRUE(rig.is_quiet());
  rig.connect(a, b);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3), .id = i}), 0);
    EXPECT_EQ(rig.next().id, i);
  }
}

TEST_F(Rc, an_end_that_was_reset_alone_does_not_respond) {
  pair();
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  rig.to(b, IBV_QPS_RESET);
  rig.to_init(b);
  rig.to_rtr(b, a->qp_num);  // its sequence numbers restart, those of the other end do not
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(Rc, an_unexpected_or_missing_attribute_is_refused) {
  ibv_qp* const qp = rig.make_rc();
  ibv_qp_attr attr = {};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  EXPECT_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT), EINVAL);
  EXPECT_EQ(ibv_modify_qp(qp, &attr,
                          IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS |
                              IBV_QP_MIN_RNR_TIMER),
            EINVAL);
  EXPECT_EQ(rig.to_rts(qp), EINVAL);
  EXPECT_EQ(rig.to_init(qp), 0);
}

TEST_F(Rc, an_armed_completion_queue_wakes_its_channel_once) {
  pair();
  const auto waits = [&](int ms) {
    pollfd ready = {rig.channel->fd, POLLIN, 0};
    return ::poll(&ready, 1, ms) == 1;
  };
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
  rig.next();
  EXPECT_FALSE(waits(20));
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(ibv_req_notify_cq(rig.cq, 0), 0);
    EXPECT_FALSE(waits(2));
    ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
    ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
    ASSERT_TRUE(waits(5000));
    ibv_cq* which = nullptr;
    void* context = nullptr;
    ASSERT_EQ(ibv_get_cq_event(rig.channel, &which, &context), 0);
    EXPECT_EQ(which, rig.cq);
    ibv_ack_cq_events(which, 1);
    rig.next();
    rig.next();
    EXPECT_FALSE(waits(2));
  }
}

TEST_F(Rc, arming_behind_a_completion_wakes_at_once) {
  pair();
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
  ::usleep(50'000);
  ASSERT_EQ(ibv_req_notify_cq(rig.cq, 0), 0);
  pollfd ready = {rig.channel->fd, POLLIN, 0};
  EXPECT_EQ(::poll(&ready, 1, 5000), 1);
  ibv_cq* which = nullptr;
  void* context = nullptr;
  ASSERT_EQ(ibv_get_cq_event(rig.channel, &which, &context), 0);
  ibv_ack_cq_events(which, 1);
  rig.next();
}

TEST_F(Rc, results_scattered_into_completions_are_copied_by_the_library) {
  QpWish wish;
  wish.scatters = true;
  wish.signals_all = true;
  pair(wish);
  rig.memory[3] = 88;
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  EXPECT_EQ(rig.memory[1], 88U);
}

}  // namespace

}  // namespace soft_mlx5_test
