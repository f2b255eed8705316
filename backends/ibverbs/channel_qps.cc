// Channel QPs (`ChannelQp`): making and losing them, and the control path, which needs none.

#include <algorithm>
#include <utility>

#include "backends/ibverbs/connection_cache.h"
#include "backends/ibverbs/frame_exchange.h"
#include "core/base/check.h"

namespace latchlab::ib {

namespace {

// Channels in the first group, which share RECVs; each later group has twice as many as the one
// before, so that there are few CQs to poll.
constexpr std::uint32_t kFirstChannels = 16;

}  // namespace

FrameExchange::FrameExchange(const Device& device, ThreadId id, Mailbox& mailbox,
                             std::uint8_t rnr_retries, ThreadQueues& queues)
    : device_(device),
      id_(id),
      mailbox_(mailbox),
      rnr_retries_(rnr_retries),
      cq_(queues.cq),
      domain_(*queues.domain) {}

// ---- making ----

Result<FrameExchange::ChannelGroup*> FrameExchange::group_with_room(std::uint32_t expected) {
  if (!groups_.empty() && groups_.back()->free_channels > 0) return groups_.back().get();
  if (groups_.empty()) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(kSends) * kFrameBytes;
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    auto registered = Registration::make(device_, memory_.get(), bytes, false);
    if (!registered) return registered.error();
    registered_ = std::move(registered).value();
    slots_.resize(kSends);
    for (std::uint32_t i = 0; i < kSends; ++i) free_slots_.push_back(i);
  }
  auto group = std::make_unique<ChannelGroup>();
  group->free_channels = std::max(kFirstChannels << groups_.size(), expected);
  const std::uint32_t recvs = group->free_channels * kChannelDepth;
  auto cq = CompletionQueue::make(device_, static_cast<int>(recvs + kSends), &cq_);
  if (!cq) return cq.error();
  group->cq = std::move(cq).value();
  auto pool = RecvPool::make(device_, recvs, kFrameBytes);
  if (!pool) return pool.error();
  group->recvs = std::move(pool).value();
  groups_.push_back(std::move(group));
  return groups_.back().get();
}

// The new channel is in state `asking`.
Result<FrameExchange::ChannelQp*> FrameExchange::new_channel(ThreadId to, std::uint32_t expected) {
  auto group = group_with_room(expected);
  if (!group) return group.error();
  QpOptions options;
  options.depth = kChannelDepth;
  options.recvs = group.value()->recvs.get();
  options.rnr_retries = rnr_retries_;
  options.rd_atomic = 1;  // it carries SENDs only
  options.domain = &domain_;
  auto qp = QueuePair::make(device_, group.value()->cq, options);
  if (!qp) return qp.error();
  --group.value()->free_channels;
  ChannelQp& channel = channels_[to];
  channel.qp = std::move(qp).value();
  return &channel;
}

Status FrameExchange::make_channels(const std::vector<ThreadId>& memory_servers) {
  for (const ThreadId memory_server : memory_servers) {
    auto channel = new_channel(memory_server, static_cast<std::uint32_t>(memory_servers.size()));
    if (!channel) return channel.error();
    memory_servers_.emplace(memory_server.node, memory_server);
  }
  return fine();
}

Status FrameExchange::connect_channel(ThreadId memory_server, const QpAddress& there) {
  ChannelQp& channel = channels_.at(memory_server);
  channel.state = ChannelQp::State::ready;
  return channel.qp.connect(there);
}

void FrameExchange::ask_for_channel(ThreadId to) {
  const auto channel = new_channel(to, 0);
  LATCHLAB_CHECK(channel.ok(), channel.ok() ? "" : channel.error().text());
  send(to, FrameKind::channel, 0, channel.value()->qp.address());
}

// If both threads ask at the same time, the one with the smaller id gets its answer.
void FrameExchange::channel_asked(ThreadId from, const QpAddress& theirs) {
  const auto found = channels_.find(from);
  if (found != channels_.end() && (found->second.state != ChannelQp::State::asking || id_ < from))
    return;
  if (found == channels_.end()) {
    const auto made = new_channel(from, 0);
    LATCHLAB_CHECK(made.ok(), made.ok() ? "" : made.error().text());
  }
  ChannelQp& channel = channels_.at(from);
  if (!channel.qp.connect(theirs)) return lose(from, channel);
  channel.state = ChannelQp::State::answering;
  send(from, FrameKind::channel_answer, 0, channel.qp.address());
}

void FrameExchange::channel_answered(ThreadId from, const QpAddress& theirs) {
  const auto found = channels_.find(from);
  if (found == channels_.end() || found->second.state != ChannelQp::State::asking) return;
  ChannelQp& channel = found->second;
  if (!channel.qp.connect(theirs)) return lose(from, channel);
  channel.state = ChannelQp::State::ready;
  take_turn(from, channel);
  send_in_turn();
}

// ---- the control path ----

void FrameExchange::send_via_control(ThreadId to, std::vector<std::byte> frame) {
  if (failed_) return;
  if (to.node == id_.node) return mailbox_.put(to.index, {to, std::move(frame)});
  if (is_memory_server()) return forward(to.node, std::move(frame));
  if (cut_off_.count(to.node) == 0) mailbox_.put(mailbox_.memory_server(), {to, std::move(frame)});
}

void FrameExchange::forward(NodeId to, std::vector<std::byte> frame) {
  const auto memory_server = memory_servers_.find(to);
  LATCHLAB_CHECK(memory_server != memory_servers_.end(), "a frame to a node that does not exist");
  ChannelQp& channel = channels_.at(memory_server->second);
  if (channel.state == ChannelQp::State::gone) return;  // the threads of this node have been told
  channel.waiting.push_back(std::move(frame));
  take_turn(memory_server->second, channel);
  send_in_turn();
}

std::size_t FrameExchange::take_mail() {
  std::vector<Mail> mail = mailbox_.take(id_.index);
  for (Mail& each : mail) {
    if (each.to.node != id_.node) {
      forward(each.to.node, std::move(each.frame));
      continue;
    }
    FrameHead head;
    std::memcpy(&head, each.frame.data(), sizeof(head));
    arrived(head, each.frame);
  }
  return mail.size();
}

// ---- losing peers ----

bool FrameExchange::reaches(ThreadId to) const {
  if (to == id_) return true;
  if (failed_ || cut_off_.count(to.node) > 0) return false;
  const auto found = channels_.find(to);
  return found == channels_.end() || found->second.state != ChannelQp::State::gone;
}

void FrameExchange::probe(ThreadId to) {
  const auto found = channels_.find(to);
  const bool ready = found != channels_.end() && found->second.state == ChannelQp::State::ready;
  send(to, ready ? FrameKind::nothing : FrameKind::knock, 0, {});
}

void FrameExchange::lose(ThreadId to, ChannelQp& channel) {
  if (std::exchange(channel.state, ChannelQp::State::gone) == ChannelQp::State::gone) return;
  channel.waiting.clear();
  const auto memory_server = memory_servers_.find(to.node);
  if (memory_server != memory_servers_.end() && memory_server->second == to) {
    for (std::uint8_t i = 0; i < mailbox_.memory_server(); ++i) {
      const FrameHead head{FrameKind::cut_off, to.index, to.node.value, 0, i};
      const auto bytes = std::as_bytes(std::span(&head, 1));
      mailbox_.put(i, {{id_.node, i}, {bytes.begin(), bytes.end()}});
    }
  }
  owner_->peer_is_gone(to);
}

// The peer's process is dead or its device is unreachable, and so are its other threads.
void FrameExchange::cut_off(ThreadId memory_server) {
  node_is_gone(memory_server.node);
  owner_->peer_is_gone(memory_server);
}

void FrameExchange::node_is_gone(NodeId node) {
  cut_off_.insert(node);
  for (auto& [to, channel] : channels_) {
    if (to.node != node || channel.state == ChannelQp::State::gone) continue;
    channel.qp.fail();
    lose(to, channel);
  }
}

void FrameExchange::fail() {
  failed_ = true;
  for (auto& [to, channel] : channels_) {
    channel.state = ChannelQp::State::gone;
    channel.waiting.clear();
    channel.qp.fail();
  }
}

}  // namespace latchlab::ib
