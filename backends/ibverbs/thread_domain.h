#pragma once
// A protection domain of one thread. QPs made from it are used by that thread only, so that it
// rings their doorbells without a lock, on a register page of its own. Apart from those of thread
// domains, libmlx5 has few such registers, which it gives to the first QPs; all later QPs share one
// register under a lock. Memory is registered with the device's own domain (Device::pd) and is
// accessible from all domains.

#include "backends/ibverbs/device.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_td;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

class ThreadDomain {
 public:
  // If the driver has no thread domains (soft-RoCE), or no more of them, this is the device's own
  // domain. Must outlive what is made from it, and must not outlive the device.
  explicit ThreadDomain(const Device& device);
  ~ThreadDomain();
  ThreadDomain(const ThreadDomain&) = delete;
  ThreadDomain& operator=(const ThreadDomain&) = delete;

  ibv_pd* pd() const;
  bool is_own() const { return parent_ != nullptr; }

 private:
  const Device& device_;
  ibv_td* thread_ = nullptr;
  ibv_pd* parent_ = nullptr;
};

}  // namespace latchlab::ib
