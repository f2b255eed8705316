#pragma once
// The connections on which atomics are tried (native_atomics.h), with both ends on one device.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wqe.h"

namespace latchlab::ib {

// Two QPs of one device that are connected to each other, or a DC initiator and a DC target.
// Requests go from the first to the second.
class Loop {
 public:
  static constexpr std::uint32_t kBurst = 32;  // requests at once
  // Target words of the atomics, and buffers for their results.
  struct alignas(64) Area {
    std::array<std::uint64_t, 8> words;
    std::array<Words, 2 * kBurst> landings;
  };

  Status make(const Device& device, const CompletionQueue& cq, bool masked) {
    QpOptions options;
    options.depth = kBurst;
    options.masked = masked;
    for (QueuePair* qp : {&near_, &far_}) {
      auto made = QueuePair::make(device, cq, options);
      if (!made) return made.error();
      *qp = std::move(made).value();
    }
    if (Status there = far_.connect(near_.address()); !there) return there;
    return near_.connect(far_.address());
  }
  Status make_by_dc(const Device& device, const CompletionQueue& cq) {
    auto recvs = RecvPool::make(device, 1, kWqeBlock);
    if (!recvs) return recvs.error();
    recvs_ = std::move(recvs).value();
    auto target = DcTarget::make(device, cq, *recvs_);
    if (!target) return target.error();
    target_ = std::move(target).value();
    QpOptions options;
    options.depth = kBurst;
    auto dci = Dci::make(device, cq, options);
    if (!dci) return dci.error();
    dci_ = std::move(dci).value();
    paths_ = std::make_unique<AhCache>(device);
    auto aim = paths_->aim_at(target_.address());
    if (!aim) return aim.error();
    aim_ = aim.value();
    return fine();
  }
  int post(std::span<const WorkRequest> requests) {
    return dci_ != nullptr ? dci_->post(requests, aim_) : near_.post(requests);
  }

 private:
  QueuePair near_, far_;
  std::unique_ptr<RecvPool> recvs_;
  DcTarget target_;
  std::unique_ptr<AhCache> paths_;
  std::unique_ptr<Dci> dci_;
  DcAim aim_;
};

}  // namespace latchlab::ib
