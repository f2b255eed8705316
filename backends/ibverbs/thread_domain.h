#pragma once
// A protection domain of one thread. What is made of it is used by that thread alone, so that its
// doorbells are rung without a lock, on a register page that nobody else has: libmlx5 has few such
// registers beside, and gives them to the first QPs; all others share one under a lock. Memory is
// registered with the device's own domain (Device::pd), and is reached from all.

#include "backends/ibverbs/device.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_td;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

class ThreadDomain {
 public:
  // Where the driver has none (soft-RoCE), or no more of them, it stands for the device's own
  // domain. Outlives what is made of it, and not the device.
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
