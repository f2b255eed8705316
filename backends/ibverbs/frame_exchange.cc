#include "backends/ibverbs/frame_exchange.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr int kCompletions = 8192;  // verbs, and the thread's own SENDs and RECVs
static_assert(FrameExchange::kMostVerbs + 160 <= kCompletions);

}  // namespace

Result<std::unique_ptr<FrameExchange>> FrameExchange::make(const Device& device, ThreadId id,
                                                           const std::vector<ThreadId>& threads) {
  auto frames = std::unique_ptr<FrameExchange>(new FrameExchange(device, id));
  auto cq = CompletionQueue::make(device, kCompletions);
  if (!cq) return cq.error();
  frames->cq_ = std::move(cq).value();
  auto recvs = RecvPool::make(device, kRecvs, kFrameBytes);
  if (!recvs) return recvs.error();
  frames->recvs_ = std::move(recvs).value();
  const std::uint64_t bytes = static_cast<std::uint64_t>(kSends) * kFrameBytes;
  frames->memory_ = std::make_unique<std::byte[]>(bytes);
  auto registered = Registration::make(device, frames->memory_.get(), bytes, false);
  if (!registered) return registered.error();
  frames->registered_ = std::move(registered).value();
  frames->slots_.resize(kSends);
  for (std::uint32_t i = 0; i < kSends; ++i) frames->free_slots_.push_back(i);
  frames->threads_ = static_cast<std::uint32_t>(threads.size());
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    if (threads[i] == id) continue;
    QpOptions options;
    options.depth = kPeerDepth;
    options.recvs = frames->recvs_.get();
    auto qp = QueuePair::make(device, frames->cq_, options);
    if (!qp) return qp.error();
    PeerQp& peer = frames->peers_[threads[i]];
    peer.qp = std::move(qp).value();
    peer.place = i;
  }
  return frames;
}

std::vector<QpAddress> FrameExchange::addresses() const {
  std::vector<QpAddress> all(threads_);
  for (const auto& [to, peer] : peers_) all[peer.place] = peer.qp.address();
  return all;
}

Status FrameExchange::connect(const std::vector<QpAddress>& peers) {
  LATCHLAB_CHECK(peers.size() == threads_, "an address for each thread");
  for (auto& [to, peer] : peers_)
    if (Status made = peer.qp.connect(peers[peer.place]); !made) return made;
  return fine();
}

bool FrameExchange::reaches(ThreadId to) const {
  if (to == id_) return true;
  const auto found = peers_.find(to);
  return found != peers_.end() && !found->second.gone;
}

void FrameExchange::send(ThreadId to, FrameKind kind, std::uint64_t ticket,
                         std::span<const std::byte> body) {
  LATCHLAB_CHECK(body.size() <= kBodyBytes, "a frame's body is too long");
  const FrameHead head{kind, id_.index, id_.node.value, static_cast<std::uint32_t>(body.size()),
                       ticket};
  std::vector<std::byte> frame(sizeof(head) + body.size());
  std::memcpy(frame.data(), &head, sizeof(head));
  if (!body.empty()) std::memcpy(frame.data() + sizeof(head), body.data(), body.size());
  if (to == id_) return own_.push_back(std::move(frame));
  const auto found = peers_.find(to);
  LATCHLAB_CHECK(found != peers_.end(), "a frame to a thread that does not exist");
  PeerQp& peer = found->second;
  if (peer.gone) return;  // its owner has been told
  peer.waiting.push_back(std::move(frame));
  take_turn(to, peer);
  send_in_turn();
}

void FrameExchange::take_turn(ThreadId to, PeerQp& peer) {
  if (peer.waiting.empty() || peer.on_the_way == kPeerDepth || peer.in_turn) return;
  peer.in_turn = true;
  turns_.push_back(to);
}

// A frame each: a peer that is busy, or whose peer is slow, does not hold up the others.
void FrameExchange::send_in_turn() {
  while (!turns_.empty() && !free_slots_.empty()) {
    const ThreadId to = turns_.front();
    turns_.pop_front();
    PeerQp& peer = peers_.at(to);
    peer.in_turn = false;
    if (peer.gone || peer.waiting.empty()) continue;
    const std::vector<std::byte> frame = std::move(peer.waiting.front());
    peer.waiting.pop_front();
    post(to, peer, frame);
    take_turn(to, peer);
  }
}

void FrameExchange::post(ThreadId to, PeerQp& peer, std::span<const std::byte> frame) {
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {&peer, to};
  std::memcpy(send_memory(slot), frame.data(), frame.size());
  WorkRequest request;
  request.kind = WorkRequest::Kind::send;
  request.signalled = true;
  request.id = kSendTag | slot;
  request.local = send_memory(slot);
  request.local_key = registered_.local_key();
  request.bytes = static_cast<std::uint32_t>(frame.size());
  ++peer.on_the_way;
  if (peer.qp.post({&request, 1}) == 0) return;
  --peer.on_the_way;
  free_slots_.push_back(slot);
  lose(to, peer);
}

void FrameExchange::lose(ThreadId to, PeerQp& peer) {
  if (std::exchange(peer.gone, true)) return;
  peer.waiting.clear();
  owner_->peer_is_gone(to);
}

void FrameExchange::sent(const Done& done) {
  const auto slot = static_cast<std::uint32_t>(done.id & ~kSendTag);
  const SendSlot was = slots_[slot];
  free_slots_.push_back(slot);
  --was.peer->on_the_way;
  if (done.status != 0) lose(was.to, *was.peer);
  take_turn(was.to, *was.peer);
  send_in_turn();
}

void FrameExchange::received(const Done& done) {
  const auto slot = static_cast<std::uint32_t>(done.id & ~kRecvTag);
  if (done.status == 0 && done.bytes >= sizeof(FrameHead)) {
    FrameHead head;
    std::memcpy(&head, recvs_->slot(slot), sizeof(head));
    if (head.bytes <= done.bytes - sizeof(head))
      owner_->frame_came(head, {recvs_->slot(slot) + sizeof(head), head.bytes});
  }
  recvs_->post(slot);
}

std::size_t FrameExchange::deliver_own() {
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

std::size_t FrameExchange::poll() {
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

void FrameExchange::node_is_gone(NodeId node) {
  for (auto& [to, peer] : peers_) {
    if (to.node != node || peer.gone) continue;
    peer.qp.fail();
    lose(to, peer);
  }
}

void FrameExchange::fail() {
  for (auto& [to, peer] : peers_) {
    peer.gone = true;
    peer.waiting.clear();
    peer.qp.fail();
  }
}

}  // namespace latchlab::ib
