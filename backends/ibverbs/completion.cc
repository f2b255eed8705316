// CQs and SRQs.

#include <fcntl.h>
#include <fmt/core.h>
#include <infiniband/verbs.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/ibverbs/queues.h"
#include "core/base/check.h"

namespace latchlab::ib {

std::string_view name_of_status(int status) {
  return ibv_wc_status_str(static_cast<ibv_wc_status>(status));
}

VerbStatus verb_status(int status) {
  switch (status) {
    case IBV_WC_SUCCESS:
      return VerbStatus::ok;
    case IBV_WC_WR_FLUSH_ERR:
      return VerbStatus::flushed;
    case IBV_WC_RNR_RETRY_EXC_ERR:
      return VerbStatus::receiver_not_ready;
    case IBV_WC_REM_ACCESS_ERR:
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_LOC_PROT_ERR:
    case IBV_WC_LOC_LEN_ERR:
    case IBV_WC_LOC_QP_OP_ERR:
    case IBV_WC_LOC_ACCESS_ERR:
      return VerbStatus::access_error;
    default:
      return VerbStatus::peer_failed;
  }
}

void sleep_on(std::span<const int> descriptors, Duration longest) {
  std::vector<pollfd> waited;
  waited.reserve(descriptors.size());
  for (const int descriptor : descriptors) waited.push_back({descriptor, POLLIN, 0});
  const std::int64_t ns = longest.ps / 1000;
  const timespec until = {ns / 1'000'000'000, ns % 1'000'000'000};
  ::ppoll(waited.data(), waited.size(), &until, nullptr);
}

// ---- CompletionQueue ----

Result<CompletionQueue> CompletionQueue::make(const Device& device, int depth,
                                              const CompletionQueue* wakes_with) {
  CompletionQueue made;
  made.owns_channel_ = wakes_with == nullptr;
  made.channel_ =
      wakes_with != nullptr ? wakes_with->channel_ : ibv_create_comp_channel(device.context());
  if (made.channel_ == nullptr)
    return Error{fmt::format("no completion channel: {}", std::strerror(errno)), {}};
  ::fcntl(made.channel_->fd, F_SETFL, ::fcntl(made.channel_->fd, F_GETFL) | O_NONBLOCK);
  ibv_cq_init_attr_ex wanted = {};
  wanted.cqe = static_cast<std::uint32_t>(depth);
  wanted.channel = made.channel_;
  wanted.wc_flags = IBV_WC_EX_WITH_BYTE_LEN;
  wanted.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
  wanted.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
  made.extended_ = ibv_create_cq_ex(device.context(), &wanted);
  made.cq_ = made.extended_ != nullptr
                 ? ibv_cq_ex_to_cq(made.extended_)
                 : ibv_create_cq(device.context(), depth, nullptr, made.channel_, 0);
  if (made.cq_ == nullptr)
    return Error{fmt::format("{}: no completion queue of {} entries: {}", device.facts().name,
                             depth, std::strerror(errno)),
                 {}};
  return made;
}

CompletionQueue::~CompletionQueue() {
  if (cq_ != nullptr) ibv_destroy_cq(cq_);
  if (owns_channel_ && channel_ != nullptr) ibv_destroy_comp_channel(channel_);
}
CompletionQueue::CompletionQueue(CompletionQueue&& other) noexcept
    : cq_(std::exchange(other.cq_, nullptr)),
      extended_(std::exchange(other.extended_, nullptr)),
      channel_(other.channel_),
      owns_channel_(std::exchange(other.owns_channel_, false)) {}
CompletionQueue& CompletionQueue::operator=(CompletionQueue&& other) noexcept {
  std::swap(cq_, other.cq_);
  std::swap(extended_, other.extended_);
  std::swap(channel_, other.channel_);
  std::swap(owns_channel_, other.owns_channel_);
  return *this;
}

// One completion at a time: if ibv_next_poll finds none, the soft-RoCE provider of rdma-core 44 has
// released the queue already, and ibv_end_poll then moves it beyond its end.
std::size_t CompletionQueue::poll(std::span<Done> done) {
  if (extended_ == nullptr) return poll_plain(done);
  std::size_t count = 0;
  while (count < done.size()) {
    ibv_poll_cq_attr nothing = {};
    if (ibv_start_poll(extended_, &nothing) != 0) break;
    Done& entry = done[count++];
    entry.id = extended_->wr_id;
    entry.status = extended_->status;
    // Other fields of a failed completion are undefined.
    entry.bytes = entry.status == IBV_WC_SUCCESS ? ibv_wc_read_byte_len(extended_) : 0;
    ibv_end_poll(extended_);
  }
  return count;
}

std::size_t CompletionQueue::poll_plain(std::span<Done> done) {
  std::array<ibv_wc, 32> found = {};
  std::size_t count = 0;
  while (count < done.size()) {
    const std::size_t room = std::min(done.size() - count, found.size());
    const int polled = ibv_poll_cq(cq_, static_cast<int>(room), found.data());
    for (int i = 0; i < polled; ++i) {
      const ibv_wc& from = found.at(static_cast<std::size_t>(i));
      done[count++] = {from.wr_id, from.status, from.status == IBV_WC_SUCCESS ? from.byte_len : 0};
    }
    if (polled < static_cast<int>(room)) break;
  }
  return count;
}

void CompletionQueue::arm() {
  ibv_req_notify_cq(cq_, 0);
}

int CompletionQueue::bell() const {
  return channel_->fd;
}

void CompletionQueue::take_events() {
  ibv_cq* which = nullptr;
  void* context = nullptr;
  while (ibv_get_cq_event(channel_, &which, &context) == 0) ibv_ack_cq_events(which, 1);
}

// ---- RecvPool ----

Result<std::unique_ptr<RecvPool>> RecvPool::make(const Device& device, std::uint32_t slots,
                                                 std::uint32_t slot_bytes) {
  auto pool = std::unique_ptr<RecvPool>(new RecvPool);
  pool->slot_bytes_ = slot_bytes;
  const std::uint64_t bytes = static_cast<std::uint64_t>(slots) * slot_bytes;
  pool->memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  auto registered = Registration::make(device, pool->memory_.get(), bytes, false);
  if (!registered) return registered.error();
  pool->registered_ = std::move(registered).value();
  ibv_srq_init_attr wanted = {};
  wanted.attr.max_wr = slots;
  wanted.attr.max_sge = 1;
  pool->srq_ = ibv_create_srq(device.pd(), &wanted);
  if (pool->srq_ == nullptr)
    return Error{fmt::format("{}: no shared receive queue of {} entries: {}", device.facts().name,
                             slots, std::strerror(errno)),
                 {}};
  for (std::uint32_t i = 0; i < slots; ++i) pool->post(i);
  return pool;
}

RecvPool::~RecvPool() {
  if (srq_ != nullptr) ibv_destroy_srq(srq_);
}

void RecvPool::post(std::uint32_t index) {
  ibv_sge where = {reinterpret_cast<std::uint64_t>(slot(index)), slot_bytes_,
                   registered_.local_key()};
  ibv_recv_wr recv = {};
  recv.wr_id = kRecvTag | index;
  recv.sg_list = &where;
  recv.num_sge = 1;
  ibv_recv_wr* refused = nullptr;
  const int status = ibv_post_srq_recv(srq_, &recv, &refused);
  LATCHLAB_CHECK(status == 0,
                 fmt::format("a RECV that has its place is refused: {}", std::strerror(status)));
}

// ---- ThreadDomain ----

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
