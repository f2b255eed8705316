#include "backends/ibverbs/lane.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr int kCompletions = 8192;  // verbs, and the lane's own SENDs and RECVs
static_assert(Lane::kMostVerbs + 160 <= kCompletions);

}  // namespace

Result<std::unique_ptr<Lane>> Lane::make(const Device& device, LaneId id,
                                         const std::vector<LaneId>& lanes) {
  auto lane = std::unique_ptr<Lane>(new Lane(device, id));
  auto cq = CompletionQueue::make(device, kCompletions);
  if (!cq) return cq.error();
  lane->cq_ = std::move(cq).value();
  auto recvs = RecvPool::make(device, kRecvs, kFrameBytes);
  if (!recvs) return recvs.error();
  lane->recvs_ = std::move(recvs).value();
  const std::uint64_t bytes = static_cast<std::uint64_t>(kSends) * kFrameBytes;
  lane->memory_ = std::make_unique<std::byte[]>(bytes);
  auto registered = Registration::make(device, lane->memory_.get(), bytes, false);
  if (!registered) return registered.error();
  lane->registered_ = std::move(registered).value();
  lane->slots_.resize(kSends);
  for (std::uint32_t i = 0; i < kSends; ++i) lane->free_slots_.push_back(i);
  lane->lanes_ = static_cast<std::uint32_t>(lanes.size());
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] == id) continue;
    QpOptions options;
    options.depth = kChannelDepth;
    options.recvs = lane->recvs_.get();
    auto qp = QueuePair::make(device, lane->cq_, options);
    if (!qp) return qp.error();
    Channel& channel = lane->channels_[lanes[i]];
    channel.qp = std::move(qp).value();
    channel.place = i;
  }
  return lane;
}

std::vector<QpAddress> Lane::addresses() const {
  std::vector<QpAddress> all(lanes_);
  for (const auto& [to, channel] : channels_) all[channel.place] = channel.qp.address();
  return all;
}

Status Lane::connect(const std::vector<QpAddress>& peers) {
  LATCHLAB_CHECK(peers.size() == lanes_, "an address for each lane");
  for (auto& [to, channel] : channels_)
    if (Status made = channel.qp.connect(peers[channel.place]); !made) return made;
  return fine();
}

bool Lane::reaches(LaneId to) const {
  if (to == id_) return true;
  const auto found = channels_.find(to);
  return found != channels_.end() && !found->second.gone;
}

void Lane::send(LaneId to, FrameKind kind, std::uint64_t ticket, std::span<const std::byte> body) {
  LATCHLAB_CHECK(body.size() <= kBodyBytes, "a frame's body is too long");
  const FrameHead head{kind, id_.index, id_.node.value, static_cast<std::uint32_t>(body.size()),
                       ticket};
  std::vector<std::byte> frame(sizeof(head) + body.size());
  std::memcpy(frame.data(), &head, sizeof(head));
  if (!body.empty()) std::memcpy(frame.data() + sizeof(head), body.data(), body.size());
  if (to == id_) return own_.push_back(std::move(frame));
  const auto found = channels_.find(to);
  LATCHLAB_CHECK(found != channels_.end(), "a frame to a lane that does not exist");
  Channel& channel = found->second;
  if (channel.gone) return;  // its owner has been told
  channel.waiting.push_back(std::move(frame));
  take_turn(to, channel);
  send_in_turn();
}

void Lane::take_turn(LaneId to, Channel& channel) {
  if (channel.waiting.empty() || channel.on_the_way == kChannelDepth || channel.in_turn) return;
  channel.in_turn = true;
  turns_.push_back(to);
}

// A frame each: a channel that is busy, or whose peer is slow, does not hold up the others.
void Lane::send_in_turn() {
  while (!turns_.empty() && !free_slots_.empty()) {
    const LaneId to = turns_.front();
    turns_.pop_front();
    Channel& channel = channels_.at(to);
    channel.in_turn = false;
    if (channel.gone || channel.waiting.empty()) continue;
    const std::vector<std::byte> frame = std::move(channel.waiting.front());
    channel.waiting.pop_front();
    post(to, channel, frame);
    take_turn(to, channel);
  }
}

void Lane::post(LaneId to, Channel& channel, std::span<const std::byte> frame) {
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {&channel, to};
  std::memcpy(send_memory(slot), frame.data(), frame.size());
  WorkRequest request;
  request.kind = WorkRequest::Kind::send;
  request.signalled = true;
  request.id = kSendTag | slot;
  request.local = send_memory(slot);
  request.local_key = registered_.local_key();
  request.bytes = static_cast<std::uint32_t>(frame.size());
  ++channel.on_the_way;
  if (channel.qp.post({&request, 1}) == 0) return;
  --channel.on_the_way;
  free_slots_.push_back(slot);
  lose(to, channel);
}

void Lane::lose(LaneId to, Channel& channel) {
  if (std::exchange(channel.gone, true)) return;
  channel.waiting.clear();
  owner_->peer_is_gone(to);
}

void Lane::sent(const Done& done) {
  const auto slot = static_cast<std::uint32_t>(done.id & ~kSendTag);
  const SendSlot was = slots_[slot];
  free_slots_.push_back(slot);
  --was.channel->on_the_way;
  if (done.status != 0) lose(was.to, *was.channel);
  take_turn(was.to, *was.channel);
  send_in_turn();
}

void Lane::received(const Done& done) {
  const auto slot = static_cast<std::uint32_t>(done.id & ~kRecvTag);
  if (done.status == 0 && done.bytes >= sizeof(FrameHead)) {
    FrameHead head;
    std::memcpy(&head, recvs_->slot(slot), sizeof(head));
    if (head.bytes <= done.bytes - sizeof(head))
      owner_->frame_came(head, {recvs_->slot(slot) + sizeof(head), head.bytes});
  }
  recvs_->post(slot);
}

std::size_t Lane::deliver_own() {
  const std::size_t count = own_.size();  // what these cause comes next time
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::byte> frame = std::move(own_.front());
    own_.pop_front();
    FrameHead head;
    std::memcpy(&head, frame.data(), sizeof(head));
    owner_->frame_came(head, {frame.data() + sizeof(head), head.bytes});
  }
  return count;
}

std::size_t Lane::poll() {
  std::array<Done, 32> done;
  const std::size_t count = cq_.poll(done);
  drained_ = count < done.size();
  for (std::size_t i = 0; i < count; ++i) {
    if ((done[i].id & kRecvTag) != 0)
      received(done[i]);
    else if ((done[i].id & kSendTag) != 0)
      sent(done[i]);
    else
      owner_->verb_done(done[i]);
  }
  return count + deliver_own();
}

void Lane::node_is_gone(NodeId node) {
  for (auto& [to, channel] : channels_) {
    if (to.node != node || channel.gone) continue;
    channel.qp.fail();
    lose(to, channel);
  }
}

void Lane::fail() {
  for (auto& [to, channel] : channels_) {
    channel.gone = true;
    channel.waiting.clear();
    channel.qp.fail();
  }
}

}  // namespace latchlab::ib
