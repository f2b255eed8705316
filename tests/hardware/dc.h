#pragma once
// A DC initiator and two DC targets, on addresses of this machine's RDMA device.

#include <memory>
#include <string>
#include <vector>

#include "backends/ibverbs/dc.h"
#include "tests/hardware/pair.h"

namespace latchlab::ib {

constexpr std::uint32_t kRecvBytes = 64;

// An end with a target: words that any initiator can reach.
struct TargetEnd : End {
  explicit TargetEnd(const std::string& address, std::uint32_t slots = 1) : End(address) {
    recvs = must(RecvPool::make(*device, slots, kRecvBytes));
    target = must(DcTarget::make(*device, cq, *recvs));
  }
  DcTarget target;
};

class Dc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
    const std::vector<DeviceFacts> devices = must(list_devices());
    ASSERT_FALSE(devices.empty());
    const DeviceFacts& device = devices.front();
    if (!device.mlx5 || !device.mlx5->dc) GTEST_SKIP() << "needs a device with the DC transport";
    std::vector<std::string> addresses = device.ipv4_addresses();
    if (addresses.empty()) addresses = {""};  // InfiniBand
    here_ = std::make_unique<End>(addresses.front());
    near_ = std::make_unique<TargetEnd>(addresses.front());
    far_ = std::make_unique<TargetEnd>(addresses.back());
    paths_ = std::make_unique<AhCache>(*here_->device);
  }
  void make_dci(QpOptions options = {}) {
    options.inline_bytes = 16;
    options.masked = true;
    dci_ = must(Dci::make(*here_->device, here_->cq, options));
  }
  DcAim aim(const TargetEnd& to) { return must(paths_->aim_at(to.target.address())); }
  DcAim aim(const DctAddress& to) { return must(paths_->aim_at(to)); }
  WorkRequest request(WorkRequest::Kind kind, std::uint64_t id, const TargetEnd& to,
                      std::size_t word = 0) const {
    WorkRequest made = here_->request(kind, id);
    made.remote = reinterpret_cast<std::uint64_t>(&to.words[word]);
    made.remote_key = to.registered.remote_key();
    made.local = &here_->words[id];
    return made;
  }
  WorkRequest add(std::uint64_t id, const TargetEnd& to) const {
    WorkRequest made = request(WorkRequest::Kind::faa, id, to);
    made.operand = 1;
    return made;
  }
  void post(const std::vector<WorkRequest>& requests, const DcAim& to) {
    ASSERT_EQ(dci_->post(requests, to), 0);
  }
  std::vector<VerbStatus> outcomes(std::size_t count) {
    std::vector<VerbStatus> all;
    for (const Done& done : here_->completions(count)) all.push_back(verb_status(done.status));
    return all;
  }
  void recover() {
    const Status ready = dci_->recover();
    ASSERT_TRUE(ready.ok()) << ready.error().text();
  }

  std::unique_ptr<End> here_;
  std::unique_ptr<TargetEnd> near_, far_;
  std::unique_ptr<AhCache> paths_;
  std::unique_ptr<Dci> dci_;
};

// Short timeouts and few retries, so that a verb to a missing peer fails soon.
inline QpOptions impatient() {
  QpOptions options;
  options.timeout = 10;  // 4 ms
  options.retries = 1;
  options.rnr_retries = 0;
  return options;
}

}  // namespace latchlab::ib
