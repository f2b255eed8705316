// The RNIC's clock, as completions and software read it. Runs do not use it
// (docs/decisions/0018-the-clock-of-a-run-is-the-machines.md).

#include <infiniband/verbs.h>
#include <time.h>

#include <chrono>
#include <cstring>

#include "tests/hardware/pair.h"

namespace latchlab::ib {
namespace {

using Patience = std::chrono::steady_clock;

// The CQ whose completions have timestamps; null: the driver has none.
ibv_cq_ex* stamped_cq(const Device& device) {
  ibv_cq_init_attr_ex queue = {};
  queue.cqe = 16;
  queue.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
  return ibv_create_cq_ex(device.context(), &queue);
}

// A QP that is connected to itself.
class StampedQp {
 public:
  explicit StampedQp(const Device& device) : device_(device), cq_(stamped_cq(device)) {
    if (cq_ == nullptr) throw std::runtime_error("no CQ with time stamps");
    ibv_qp_init_attr wanted = {};
    wanted.send_cq = wanted.recv_cq = ibv_cq_ex_to_cq(cq_);
    wanted.qp_type = IBV_QPT_RC;
    wanted.cap = {16, 1, 1, 1, 0};
    qp_ = ibv_create_qp(device.pd(), &wanted);
    if (qp_ == nullptr) throw std::runtime_error("no QP");
    connect();
  }
  ~StampedQp() {
    ibv_destroy_qp(qp_);
    ibv_destroy_cq(ibv_cq_ex_to_cq(cq_));
  }
  StampedQp(const StampedQp&) = delete;
  StampedQp& operator=(const StampedQp&) = delete;

  // Reads a word; the time in cycles of the RNIC.
  std::uint64_t read(std::uint64_t* words, const Registration& registered) {
    ibv_sge where = {reinterpret_cast<std::uint64_t>(words + 1), 8, registered.local_key()};
    ibv_send_wr wanted = {};
    wanted.sg_list = &where;
    wanted.num_sge = 1;
    wanted.opcode = IBV_WR_RDMA_READ;
    wanted.send_flags = IBV_SEND_SIGNALED;
    wanted.wr.rdma = {reinterpret_cast<std::uint64_t>(words), registered.remote_key()};
    ibv_send_wr* refused = nullptr;
    EXPECT_EQ(ibv_post_send(qp_, &wanted, &refused), 0);
    const auto patience = Patience::now() + std::chrono::seconds(60);
    ibv_poll_cq_attr nothing = {};
    while (ibv_start_poll(cq_, &nothing) != 0)
      if (Patience::now() > patience) throw std::runtime_error("no completion");
    EXPECT_EQ(cq_->status, IBV_WC_SUCCESS);
    const std::uint64_t stamp = ibv_wc_read_completion_ts(cq_);
    ibv_end_poll(cq_);
    return stamp;
  }

 private:
  void step(ibv_qp_state state, ibv_qp_attr attr, int mask) {
    attr.qp_state = state;
    if (ibv_modify_qp(qp_, &attr, IBV_QP_STATE | mask) != 0)
      throw std::runtime_error("a QP does not change its state");
  }
  void connect() {
    ibv_qp_attr attr = {};
    attr.port_num = attr.ah_attr.port_num = 1;
    attr.pkey_index = device_.pkey_index();
    attr.qp_access_flags = IBV_ACCESS_REMOTE_READ;
    step(IBV_QPS_INIT, attr, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    attr.path_mtu = static_cast<ibv_mtu>(device_.mtu());
    attr.dest_qp_num = qp_->qp_num;
    attr.max_dest_rd_atomic = attr.max_rd_atomic = 1;
    attr.min_rnr_timer = 12;
    attr.ah_attr.dlid = device_.lid();
    attr.ah_attr.is_global = device_.facts().infiniband ? 0 : 1;
    attr.ah_attr.grh.hop_limit = 64;
    attr.ah_attr.grh.sgid_index = device_.gid_index();
    std::memcpy(attr.ah_attr.grh.dgid.raw, device_.gid().bytes.data(), 16);
    step(IBV_QPS_RTR, attr,
         IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
             IBV_QP_MIN_RNR_TIMER);
    attr.timeout = 15;
    attr.retry_cnt = 6;
    attr.rnr_retry = 7;
    step(IBV_QPS_RTS, attr,
         IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
             IBV_QP_MAX_QP_RD_ATOMIC);
  }

  const Device& device_;
  ibv_cq_ex* cq_;
  ibv_qp* qp_ = nullptr;
};

class Timestamps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
    device_ = must(Device::open({}));
    ibv_device_attr_ex told = {};
    ASSERT_EQ(ibv_query_device_ex(device_->context(), nullptr, &told), 0);
    mask_ = told.completion_timestamp_mask;
    khz_ = told.hca_core_clock;
    ibv_values_ex now = {};
    now.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
    if (mask_ == 0 || ibv_query_rt_values_ex(device_->context(), &now) != 0)
      GTEST_SKIP() << "needs a device with time stamps and a clock that can be read";
  }
  std::uint64_t cycles() const {
    ibv_values_ex now = {};
    now.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
    EXPECT_EQ(ibv_query_rt_values_ex(device_->context(), &now), 0);
    return static_cast<std::uint64_t>(now.raw_clock.tv_nsec) & mask_;
  }
  // Whether `other` is not before `one`, across a wrap of the counter; a distance of more than half
  // of its range counts as backwards.
  bool in_order(std::uint64_t one, std::uint64_t other) const {
    return ((other - one) & mask_) <= mask_ / 2;
  }
  static std::int64_t now_ns() {
    timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  }

  std::unique_ptr<Device> device_;
  std::uint64_t mask_ = 0, khz_ = 0;
};

TEST_F(Timestamps, of_all_queues_are_from_the_clock_that_software_reads) {
  ibv_cq_ex* const tried = stamped_cq(*device_);
  if (tried == nullptr) GTEST_SKIP() << "needs a driver with CQs that are stamped";
  ibv_destroy_cq(ibv_cq_ex_to_cq(tried));
  std::vector<std::uint64_t> words(2);
  const Registration registered = must(Registration::make(*device_, words.data(), 16, true));
  StampedQp one(*device_), other(*device_);
  std::uint64_t last = cycles();
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t posted = cycles();
    const std::uint64_t stamp = (i % 2 == 0 ? one : other).read(words.data(), registered);
    EXPECT_TRUE(in_order(last, stamp)) << "a verb is over before the one that it followed";
    EXPECT_TRUE(in_order(posted, stamp)) << "a verb is over before it was posted";
    // The value that software reads may lag behind.
    const auto patience = Patience::now() + std::chrono::seconds(60);
    while (!in_order(stamp, cycles()) && Patience::now() < patience) {
    }
    EXPECT_TRUE(in_order(stamp, cycles())) << "a verb is over after it was seen to be";
    last = stamp;
  }
}

// The value that software reads lags behind by as long as its writer has no core, so a single
// measurement may be off; a wrong frequency is off in all of them.
TEST_F(Timestamps, count_as_many_cycles_as_the_device_reports) {
  constexpr std::int64_t kLag = 5'000'000;
  bool agrees = false;
  for (int i = 0; i < 40 && !agrees; ++i) {
    const std::int64_t before = now_ns();
    const std::uint64_t first = cycles();
    const std::int64_t began = now_ns();
    while (now_ns() < began + 50 * kLag) {
    }
    const std::int64_t ended = now_ns();
    const std::uint64_t last = cycles();
    const std::int64_t after = now_ns();
    const auto counted = static_cast<std::int64_t>(((last - first) & mask_) * 1'000'000 / khz_);
    agrees = counted > ended - began - kLag && counted < after - before + kLag;
  }
  EXPECT_TRUE(agrees) << "no interval has the length that the clock has counted";
}

}  // namespace
}  // namespace latchlab::ib
