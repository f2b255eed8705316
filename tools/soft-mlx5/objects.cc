// Objects of the device: numbers, keys, and destroying them.

#include <infiniband/verbs.h>
#include <rdma/mlx5-abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/device.h"

namespace soft_mlx5 {

Device& Device::get() {
  // Never destroyed, because its engine runs until the process ends.
  static auto* const device = new Device;
  return *device;
}

std::uint32_t Device::new_number() {
  constexpr std::uint32_t kNumbers = 1U << kNumberBits;
  for (std::uint32_t tries = 0; tries < kNumbers; ++tries) {
    last_number_ = last_number_ + 1 == kNumbers ? 0x40 : last_number_ + 1;
    const std::uint32_t number = fabric_.slot() << kNumberBits | last_number_;
    if (by_number_.count(number) == 0) return number;
  }
  return 0;
}

std::uint32_t Device::new_key(Mr* mr) {
  constexpr std::uint32_t kKeys = 1U << kNumberBits;
  for (std::uint32_t tries = 0; tries < kKeys; ++tries) {
    last_key_ = last_key_ + 1 == kKeys ? 0x100 : last_key_ + 1;
    const std::uint32_t key =
        (fabric_.slot() << kNumberBits | last_key_) << 8 | (last_key_ * 37 & 0xff);
    if (by_key_.count(key) != 0) continue;
    by_key_[key] = mr;
    return key;
  }
  return 0;
}

std::byte* Device::resolve(std::uint32_t key, const Pd* pd, std::uint64_t address,
                           std::uint64_t bytes, unsigned access) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  const Mr& mr = *found->second;
  if (mr.pd != pd || (mr.access & access) != access) return nullptr;
  if (address < mr.address || bytes > mr.bytes || address - mr.address > mr.bytes - bytes)
    return nullptr;
  return mr.memory + (address - mr.address);
}

int Device::destroy(Pd* pd) {
  if (pd->users > 0) return EBUSY;
  pds.erase(pd->handle);
  return 0;
}

int Device::destroy(Mr* mr) {
  by_key_.erase(mr->key);
  --mr->pd->users;
  if (mr->dm != nullptr) --mr->dm->users;
  mrs.erase(mr->handle);
  return 0;
}

int Device::destroy(Cq* cq) {
  if (cq->users > 0) return EBUSY;
  if (cq->channel != nullptr) --cq->channel->users;
  cqs.erase(cq->handle);
  return 0;
}

int Device::destroy(Srq* srq) {
  if (srq->users > 0) return EBUSY;
  --srq->pd->users;
  srqs.erase(srq->handle);
  return 0;
}

int Device::destroy(Qp* qp) {
  reset(*qp);
  if (qp->number != 0) free_number(qp->number);
  ready_.erase(std::remove(ready_.begin(), ready_.end(), qp), ready_.end());
  timed_.erase(std::remove(timed_.begin(), timed_.end(), qp), timed_.end());
  if (qp->uar != nullptr) {
    auto& sharers = qp->uar->qps;
    sharers.erase(std::remove(sharers.begin(), sharers.end(), qp), sharers.end());
  }
  --qp->pd->users;
  if (qp->send_cq != nullptr) --qp->send_cq->users;
  if (qp->recv_cq != nullptr) --qp->recv_cq->users;
  if (qp->srq != nullptr) --qp->srq->users;
  qps.erase(qp->handle);
  return 0;
}

int Device::destroy(Dm* dm) {
  if (dm->users > 0) return EBUSY;
  pages_.release(dm->first_page, dm->pages);
  dms.erase(dm->handle);
  return 0;
}

int Device::destroy(Uar* uar) {
  if (!uar->qps.empty()) return EBUSY;
  pages_.release(uar->page, 1);
  uars.erase(uar->handle);
  return 0;
}

Context* Device::open(int fd) {
  pages_.prepare();
  fabric_.join();
  contexts_.push_back(std::make_unique<Context>());
  contexts_.back()->fd = fd;
  return contexts_.back().get();
}

// Destroys the context's objects, as the kernel does when a process closes the device or ends.
void Device::close(Context* context) {
  const auto destroy_all = [&](auto& table) {
    std::vector<typename std::remove_reference_t<decltype(table)>::mapped_type::pointer> own;
    for (auto& [handle, object] : table)
      if (object->context == context) own.push_back(object.get());
    for (auto* object : own) destroy(object);
  };
  destroy_all(qps);
  destroy_all(srqs);
  destroy_all(cqs);
  destroy_all(mrs);
  destroy_all(dms);
  destroy_all(pds);
  destroy_all(uars);
  std::erase_if(ahs, [&](const auto& entry) { return entry.second->context == context; });
  std::erase_if(channels, [&](const auto& entry) {
    if (entry.second->context != context) return false;
    ::close(entry.second->write_end);
    return true;
  });
  if (context->async_write >= 0) ::close(context->async_write);
  std::erase_if(contexts_, [&](const auto& entry) { return entry.get() == context; });
}

// ---- Pages ----

namespace {

// 156.25 MHz: 64 ns are 10 cycles.
constexpr std::uint64_t kCyclesPer64Ns = 10;
constexpr std::uint32_t kShift = 21;
constexpr std::uint32_t kMultiplier = (64U << kShift) / kCyclesPer64Ns;

}  // namespace

void Pages::prepare() {
  if (base_ != nullptr) return;
  file_ = static_cast<int>(::syscall(SYS_memfd_create, "soft-mlx5", 1U));
  if (file_ < 0 || ::ftruncate(file_, kAll * kPage) != 0) die("no memory for the device's pages");
  void* const at = reinterpret_cast<void*>(
      ::syscall(SYS_mmap, nullptr, kAll * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0L));
  if (at == MAP_FAILED) die("the device's pages cannot be mapped");
  base_ = static_cast<std::byte*>(at);
  used_.resize(kAll);
  mlx5_ib_clock_info info = {};
  info.cycles = cycles();
  info.nsec = info.cycles * 64 / kCyclesPer64Ns;
  info.mult = kMultiplier;
  info.shift = kShift;
  info.mask = ~0ULL;
  info.overflow_period = 1'000'000'000;
  std::memcpy(base_ + kClockInfo * kPage, &info, sizeof info);
  show_clock();
}

void* Pages::map(std::uint32_t page, std::size_t bytes, int protection) const {
  return reinterpret_cast<void*>(::syscall(SYS_mmap, nullptr, bytes, protection, MAP_SHARED, file_,
                                           static_cast<long>(page * kPage)));
}

std::uint32_t Pages::allocate(std::uint32_t first, std::uint32_t end, std::uint32_t count) {
  std::uint32_t run = 0;
  for (std::uint32_t page = first; page < end; ++page) {
    run = used_[page] ? 0 : run + 1;
    if (run < count) continue;
    for (std::uint32_t i = 0; i < count; ++i) used_[page - i] = true;
    std::memset(at(page - count + 1), 0, count * kPage);
    return page - count + 1;
  }
  return 0;
}

std::uint32_t Pages::allocate_memory(std::uint32_t count) {
  return allocate(kFirstMemory, kAll, count);
}

std::uint32_t Pages::allocate_uar() {
  return allocate(kFirstUar, kFirstMemory, 1);
}

void Pages::release(std::uint32_t page, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) used_[page + i] = false;
}

std::uint64_t Pages::cycles() {
  return static_cast<std::uint64_t>(now_ns()) * kCyclesPer64Ns / 64;
}

void Pages::show_clock() {
  const std::uint64_t now = cycles();
  auto* const words = reinterpret_cast<std::uint32_t*>(base_ + kClock * kPage);
  write_record(words, static_cast<std::uint32_t>(now >> 32));
  write_record(words + 1, static_cast<std::uint32_t>(now));
}

}  // namespace soft_mlx5
