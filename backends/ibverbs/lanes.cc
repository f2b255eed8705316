// Channel QPs (`Lane`): making and losing them, and the control path, which needs none.

#include <algorithm>
#include <utility>

#include "backends/ibverbs/frame_exchange.h"
#include "backends/ibverbs/kept.h"
#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr int kCompletions = 8192;  // for the owner's verbs
static_assert(FrameExchange::kMostVerbs <= kCompletions);
constexpr int kKeeperCompletions = 64;
// Channels in the first group, which share RECVs; each later group has twice as many as the one
// before, so that there are few CQs to poll.
constexpr std::uint32_t kFirstLanes = 16;

}  // namespace

FrameExchange::FrameExchange(const Device& device, ThreadId id, NodePost& post,
                             std::uint8_t rnr_retries, ThreadQueues& queues)
    : device_(device),
      id_(id),
      post_(post),
      rnr_retries_(rnr_retries),
      cq_(queues.cq),
      domain_(*queues.domain) {}

Result<std::unique_ptr<FrameExchange>> FrameExchange::make(const Device& device, ThreadId id,
                                                           NodePost& post, std::uint8_t rnr_retries,
                                                           ThreadQueues& queues) {
  if (!queues.domain) {
    const bool is_keeper = id.index == post.keeper();
    auto cq = CompletionQueue::make(device, is_keeper ? kKeeperCompletions : kCompletions);
    if (!cq) return cq.error();
    queues.cq = std::move(cq).value();
    queues.domain = std::make_unique<ThreadDomain>(device);
  }
  return std::unique_ptr<FrameExchange>(new FrameExchange(device, id, post, rnr_retries, queues));
}

// ---- making ----

Result<FrameExchange::LaneGroup*> FrameExchange::group_with_room(std::uint32_t expected) {
  if (!groups_.empty() && groups_.back()->free_lanes > 0) return groups_.back().get();
  if (groups_.empty()) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(kSends) * kFrameBytes;
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    auto registered = Registration::make(device_, memory_.get(), bytes, false);
    if (!registered) return registered.error();
    registered_ = std::move(registered).value();
    slots_.resize(kSends);
    for (std::uint32_t i = 0; i < kSends; ++i) free_slots_.push_back(i);
  }
  auto group = std::make_unique<LaneGroup>();
  group->free_lanes = std::max(kFirstLanes << groups_.size(), expected);
  const std::uint32_t recvs = group->free_lanes * kLaneDepth;
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
Result<FrameExchange::Lane*> FrameExchange::new_lane(ThreadId to, std::uint32_t expected) {
  auto group = group_with_room(expected);
  if (!group) return group.error();
  QpOptions options;
  options.depth = kLaneDepth;
  options.recvs = group.value()->recvs.get();
  options.rnr_retries = rnr_retries_;
  options.rd_atomic = 1;  // it carries SENDs only
  options.domain = &domain_;
  auto qp = QueuePair::make(device_, group.value()->cq, options);
  if (!qp) return qp.error();
  --group.value()->free_lanes;
  Lane& lane = lanes_[to];
  lane.qp = std::move(qp).value();
  return &lane;
}

Status FrameExchange::make_lanes(const std::vector<ThreadId>& keepers) {
  for (const ThreadId keeper : keepers) {
    auto lane = new_lane(keeper, static_cast<std::uint32_t>(keepers.size()));
    if (!lane) return lane.error();
    keepers_.emplace(keeper.node, keeper);
  }
  return fine();
}

Status FrameExchange::connect_lane(ThreadId keeper, const QpAddress& there) {
  Lane& lane = lanes_.at(keeper);
  lane.state = Lane::State::ready;
  return lane.qp.connect(there);
}

void FrameExchange::ask_for_lane(ThreadId to) {
  const auto lane = new_lane(to, 0);
  LATCHLAB_CHECK(lane.ok(), lane.ok() ? "" : lane.error().text());
  send(to, FrameKind::lane, 0, LaneBody{lane.value()->qp.address()});
}

// If both threads ask at the same time, the one with the smaller id gets its answer.
void FrameExchange::lane_asked(ThreadId from, const LaneBody& theirs) {
  const auto found = lanes_.find(from);
  if (found != lanes_.end() && (found->second.state != Lane::State::asking || id_ < from)) return;
  if (found == lanes_.end()) {
    const auto made = new_lane(from, 0);
    LATCHLAB_CHECK(made.ok(), made.ok() ? "" : made.error().text());
  }
  Lane& lane = lanes_.at(from);
  if (!lane.qp.connect(theirs.address)) return lose(from, lane);
  lane.state = Lane::State::answering;
  send(from, FrameKind::lane_answer, 0, LaneBody{lane.qp.address()});
}

void FrameExchange::lane_answered(ThreadId from, const LaneBody& theirs) {
  const auto found = lanes_.find(from);
  if (found == lanes_.end() || found->second.state != Lane::State::asking) return;
  Lane& lane = found->second;
  if (!lane.qp.connect(theirs.address)) return lose(from, lane);
  lane.state = Lane::State::ready;
  take_turn(from, lane);
  send_in_turn();
}

// ---- the control path ----

void FrameExchange::send_by_post(ThreadId to, std::vector<std::byte> frame) {
  if (failed_) return;
  if (to.node == id_.node) return post_.put(to.index, {to, std::move(frame)});
  if (is_keeper()) return forward(to.node, std::move(frame));
  if (cut_off_.count(to.node) == 0) post_.put(post_.keeper(), {to, std::move(frame)});
}

void FrameExchange::forward(NodeId to, std::vector<std::byte> frame) {
  const auto keeper = keepers_.find(to);
  LATCHLAB_CHECK(keeper != keepers_.end(), "a frame to a node that does not exist");
  Lane& lane = lanes_.at(keeper->second);
  if (lane.state == Lane::State::gone) return;  // the threads of this node have been told
  lane.waiting.push_back(std::move(frame));
  take_turn(keeper->second, lane);
  send_in_turn();
}

std::size_t FrameExchange::take_post() {
  std::vector<Mail> mail = post_.take(id_.index);
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
  const auto found = lanes_.find(to);
  return found == lanes_.end() || found->second.state != Lane::State::gone;
}

void FrameExchange::probe(ThreadId to) {
  const auto found = lanes_.find(to);
  const bool ready = found != lanes_.end() && found->second.state == Lane::State::ready;
  send(to, ready ? FrameKind::nothing : FrameKind::knock, 0, {});
}

void FrameExchange::lose(ThreadId to, Lane& lane) {
  if (std::exchange(lane.state, Lane::State::gone) == Lane::State::gone) return;
  lane.waiting.clear();
  const auto keeper = keepers_.find(to.node);
  if (keeper != keepers_.end() && keeper->second == to) {
    for (std::uint8_t i = 0; i < post_.keeper(); ++i) {
      const FrameHead head{FrameKind::cut_off, to.index, to.node.value, 0, i};
      const auto bytes = std::as_bytes(std::span(&head, 1));
      post_.put(i, {{id_.node, i}, {bytes.begin(), bytes.end()}});
    }
  }
  owner_->peer_is_gone(to);
}

// The peer's process is dead or its device is unreachable, and so are its other threads.
void FrameExchange::cut_off(ThreadId keeper) {
  node_is_gone(keeper.node);
  owner_->peer_is_gone(keeper);
}

void FrameExchange::node_is_gone(NodeId node) {
  cut_off_.insert(node);
  for (auto& [to, lane] : lanes_) {
    if (to.node != node || lane.state == Lane::State::gone) continue;
    lane.qp.fail();
    lose(to, lane);
  }
}

void FrameExchange::fail() {
  failed_ = true;
  for (auto& [to, lane] : lanes_) {
    lane.state = Lane::State::gone;
    lane.waiting.clear();
    lane.qp.fail();
  }
}

}  // namespace latchlab::ib
