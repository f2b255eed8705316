// What a device has besides queues: device memory, clocks, UARs for threads, capabilities.
#include <endian.h>

#include <cstring>
#include <thread>

#include "tests/soft_mlx5/rig.h"

namespace soft_mlx5_test {

namespace {

std::vector<std::uint8_t> capabilities(ibv_context* context, unsigned type) {
  std::vector<std::uint8_t> in(16);
  std::vector<std::uint8_t> out(4112);
  in[0] = 1;
  in[7] = static_cast<std::uint8_t>(type << 1 | 1);
  EXPECT_EQ(mlx5dv_devx_general_cmd(context, in.data(), in.size(), out.data(), out.size()), 0);
  return out;
}

TEST(Device, reports_its_atomics) {
  Rig rig;
  const auto atomics = capabilities(rig.context, 3);
  EXPECT_EQ(atomics[16 + 8] >> 6, 1);  // replies of 8 bytes in host order
  EXPECT_EQ(atomics[16 + 19], 0x0f);   // CAS, FAA, and both with masks
  EXPECT_EQ(atomics[16 + 23], 0x3c);   // 4 to 32 bytes
  EXPECT_EQ(atomics[16 + 27], 0x3c);
  EXPECT_EQ(capabilities(rig.context, 0)[16 + 67] & 0x22, 0x22);
}

TEST(Device, rejects_other_commands) {
  Rig rig;
  std::uint8_t in[16] = {9, 9};
  std::uint8_t out[16] = {};
  EXPECT_NE(mlx5dv_devx_general_cmd(rig.context, in, sizeof in, out, sizeof out), 0);
  EXPECT_NE(out[0], 0);
}

TEST(Device, device_memory_takes_verbs_and_copies) {
  Rig rig;
  ibv_alloc_dm_attr wish = {};
  wish.length = 4096;
  ibv_dm* const dm = ibv_alloc_dm(rig.context, &wish);
  ASSERT_NE(dm, nullptr);
  ibv_mr* const mr = ibv_reg_dm_mr(rig.pd, dm, 64, 1024,
                                   static_cast<unsigned>(kAllRights) | IBV_ACCESS_ZERO_BASED);
  ASSERT_NE(mr, nullptr);
  EXPECT_EQ(ibv_free_dm(dm), EBUSY);
  const std::uint64_t before = 40;
  ASSERT_EQ(ibv_memcpy_to_dm(dm, 64 + 16, &before, 8), 0);
  ibv_qp* const a = rig.make_rc();
  ibv_qp* const b = rig.make_rc();
  rig.connect(a, b);
  ASSERT_EQ(post(rig, a,
                 Op{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
                    .local = 1,
                    .remote = 16,
                    .rkey = mr->rkey,
                    .add_or_compare = 2}),
            0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  EXPECT_EQ(rig.memory[1], 40U);
  std::uint64_t after = 0;
  ASSERT_EQ(ibv_memcpy_from_dm(&after, dm, 64 + 16, 8), 0);
  EXPECT_EQ(after, 42U);
  ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = 1024, .rkey = mr->rkey}), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  EXPECT_EQ(ibv_free_dm(dm), 0);
}

TEST(Device, device_memory_is_limited) {
  Rig rig;
  ibv_alloc_dm_attr wish = {};
  wish.length = 128 * 1024;
  std::vector<ibv_dm*> all;
  while (ibv_dm* const dm = ibv_alloc_dm(rig.context, &wish)) all.push_back(dm);
  EXPECT_EQ(all.size(), 2U);
  for (ibv_dm* dm : all) EXPECT_EQ(ibv_free_dm(dm), 0);
}

TEST(Device, each_thread_domain_has_a_doorbell) {
  Rig rig;
  std::vector<std::thread> threads;
  constexpr std::size_t kThreads = 6;
  struct Side {
    ibv_td* td = nullptr;
    ibv_pd* domain = nullptr;
    ibv_cq* cq = nullptr;
    ibv_qp* qp = nullptr;
    ibv_qp* peer = nullptr;
  };
  std::vector<Side> sides(kThreads);
  for (Side& side : sides) {
    ibv_td_init_attr none = {};
    side.td = ibv_alloc_td(rig.context, &none);
    ASSERT_NE(side.td, nullptr);
    ibv_parent_domain_init_attr both = {};
    both.pd = rig.pd;
    both.td = side.td;
    side.domain = ibv_alloc_parent_domain(rig.context, &both);
    ASSERT_NE(side.domain, nullptr);
    side.cq = ibv_create_cq(rig.context, 64, nullptr, nullptr, 0);
    for (ibv_qp** qp : {&side.qp, &side.peer}) {
      ibv_qp_init_attr wish = {};
      wish.send_cq = wish.recv_cq = side.cq;
      wish.qp_type = IBV_QPT_RC;
      wish.cap = {8, 1, 1, 1, 0};
      *qp = ibv_create_qp(side.domain, &wish);
      ASSERT_NE(*qp, nullptr);
    }
    rig.connect(side.qp, side.peer);
  }
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 200; ++n) {
        post(rig, sides[i].qp,
             Op{.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
                .local = 8 + i,
                .remote = rig.at(700),
                .add_or_compare = 1});
        ibv_wc wc = {};
        while (ibv_poll_cq(sides[i].cq, 1, &wc) == 0) std::this_thread::yield();
        ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(rig.memory[700], 200U * kThreads);
  for (Side& side : sides) {
    ibv_destroy_qp(side.qp);
    ibv_destroy_qp(side.peer);
    EXPECT_EQ(ibv_destroy_cq(side.cq), 0);
    EXPECT_EQ(ibv_dealloc_pd(side.domain), 0);
    EXPECT_EQ(ibv_dealloc_td(side.td), 0);
  }
}

TEST(Device, completions_have_timestamps_of_its_clock) {
  Rig rig;
  ibv_cq_init_attr_ex wish = {};
  wish.cqe = 16;
  wish.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
  ibv_cq_ex* const cq = ibv_create_cq_ex(rig.context, &wish);
  ASSERT_NE(cq, nullptr);
  ibv_cq* const plain = rig.cq;
  rig.cq = ibv_cq_ex_to_cq(cq);
  ibv_qp* const a = rig.make_rc();
  ibv_qp* const b = rig.make_rc();
  rig.connect(a, b);
  const auto now = [&rig] {
    ibv_values_ex values = {};
    values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
    EXPECT_EQ(ibv_query_rt_values_ex(rig.context, &values), 0);
    return static_cast<std::uint64_t>(values.raw_clock.tv_nsec);
  };
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(post(rig, a, Op{.local = 1, .remote = rig.at(3)}), 0);
    ibv_poll_cq_attr none = {};
    while (ibv_start_poll(cq, &none) != 0) std::this_thread::yield();
    const std::uint64_t time = ibv_wc_read_completion_ts(cq);
    EXPECT_EQ(cq->status, IBV_WC_SUCCESS);
    ibv_end_poll(cq);
    EXPECT_GT(time, last);
    last = time;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(now(), last);
  mlx5dv_clock_info info = {};
  ASSERT_EQ(mlx5dv_get_clock_info(rig.context, &info), 0);
  // 6.4 ns a cycle.
  const std::uint64_t second = 156'250'000;
  EXPECT_NEAR(
      static_cast<double>(mlx5dv_ts_to_ns(&info, last + second) - mlx5dv_ts_to_ns(&info, last)),
      1e9, 1000);
  rig.destroy(a);
  rig.destroy(b);
  rig.cq = plain;
  EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

TEST(Device, an_srq_sends_one_event_when_it_runs_low) {
  Rig rig;
  QpWish wish;
  wish.srq = rig.make_srq(8);
  ibv_qp* const a = rig.make_rc(wish);
  ibv_qp* const b = rig.make_rc(wish);
  rig.connect(a, b, wish);
  for (std::uint64_t i = 0; i < 4; ++i) rig.post_receive(wish.srq, 60, 64, 1000 + i);
  ibv_srq_attr limit = {};
  limit.srq_limit = 3;
  ASSERT_EQ(ibv_modify_srq(wish.srq, &limit, IBV_SRQ_LIMIT), 0);
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_EQ(post(rig, a, Op{.opcode = IBV_WR_SEND, .local = 1}), 0);
    rig.next();
    rig.next();
  }
  ibv_async_event event = {};
  ASSERT_EQ(ibv_get_async_event(rig.context, &event), 0);
  EXPECT_EQ(event.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
  EXPECT_EQ(event.element.srq, wish.srq);
  ibv_ack_async_event(&event);
  ASSERT_EQ(ibv_query_srq(wish.srq, &limit), 0);
  EXPECT_EQ(limit.srq_limit, 0U);
}

}  // namespace

}  // namespace soft_mlx5_test
