#include "backends/ibverbs/thread_domain.h"

#include <infiniband/verbs.h>

namespace latchlab::ib {

ThreadDomain::ThreadDomain(const Device& device) : device_(device) {
  ibv_td_init_attr nothing = {};
  thread_ = ibv_alloc_td(device.context(), &nothing);
  if (thread_ == nullptr) return;
  ibv_parent_domain_init_attr wanted = {};
  wanted.pd = device.pd();
  wanted.td = thread_;
  parent_ = ibv_alloc_parent_domain(device.context(), &wanted);
}

ThreadDomain::~ThreadDomain() {
  if (parent_ != nullptr) ibv_dealloc_pd(parent_);
  if (thread_ != nullptr) ibv_dealloc_td(thread_);
}

ibv_pd* ThreadDomain::pd() const {
  return parent_ != nullptr ? parent_ : device_.pd();
}

}  // namespace latchlab::ib
