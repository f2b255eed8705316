#pragma once
// Two RC QPs that are connected to each other, on two addresses of this machine's RDMA device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/ibverbs/device.h"
#include "backends/ibverbs/queues.h"
#include "tests/conformance/hardware.h"

namespace latchlab::ib {

template <class T>
T must(Result<T> made) {
  if (!made) throw std::runtime_error(made.error().text());
  return std::move(made).value();
}

// One end: a device of its own, a CQ, and 64 words that the peer may use.
struct End {
  explicit End(const std::string& address) : End(DeviceChoice{"", address}) {}
  explicit End(const DeviceChoice& choice)
      : device(must(Device::open(choice))),
        cq(must(CompletionQueue::make(*device, 256))),
        words(64),
        registered(must(Registration::make(*device, words.data(), 8 * words.size(), true))) {}

  void make_qp(const QpOptions& options) { qp = must(QueuePair::make(*device, cq, options)); }
  WorkRequest request(WorkRequest::Kind kind, std::uint64_t id) const {
    WorkRequest made;
    made.kind = kind;
    made.id = id;
    made.signalled = true;
    made.local = words.data();
    made.local_key = registered.local_key();
    return made;
  }
  // The next `count` completions; fewer if none comes for very long.
  std::vector<Done> completions(std::size_t count) {
    std::vector<Done> all;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (all.size() < count && std::chrono::steady_clock::now() < patience) {
      Done done;
      if (cq.poll({&done, 1}) > 0) all.push_back(done);
    }
    return all;
  }

  std::unique_ptr<Device> device;
  CompletionQueue cq;
  std::vector<std::uint64_t> words;
  Registration registered;
  std::unique_ptr<RecvPool> recvs;  // used by the QP, which is destroyed first
  QueuePair qp;
};

class Errors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
    const std::vector<DeviceFacts> devices = must(list_devices());
    ASSERT_FALSE(devices.empty());
    const std::vector<std::string> addresses = devices.front().ipv4_addresses();
    here_ = std::make_unique<End>(addresses.empty() ? "" : addresses.front());
    there_ = std::make_unique<End>(addresses.empty() ? "" : addresses.back());
  }
  void connect(const QpOptions& here = {}, const QpOptions& there = {}) {
    here_->make_qp(here);
    there_->make_qp(there);
    ASSERT_TRUE(here_->qp.connect(there_->qp.address()).ok());
    ASSERT_TRUE(there_->qp.connect(here_->qp.address()).ok());
  }
  WorkRequest read(std::uint64_t id, std::uint32_t wrong_by = 0) const {
    WorkRequest made = here_->request(WorkRequest::Kind::read, id);
    made.remote = reinterpret_cast<std::uint64_t>(there_->words.data());
    made.remote_key = there_->registered.remote_key() + wrong_by;
    return made;
  }
  // The results of the next `count` requests, in order.
  std::vector<VerbStatus> outcomes(std::size_t count) {
    std::vector<VerbStatus> all;
    for (const Done& done : here_->completions(count)) all.push_back(verb_status(done.status));
    return all;
  }

  std::unique_ptr<End> here_, there_;
};

}  // namespace latchlab::ib
