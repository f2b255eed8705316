// Frames: sending, receiving and dispatching them.

#include "backends/ibverbs/frame_exchange.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr std::array<Done, 32>::size_type kPolled = 32;

FrameHead head_of(std::span<const std::byte> frame) {
  FrameHead head;
  std::memcpy(&head, frame.data(), sizeof(head));
  return head;
}

}  // namespace

void FrameExchange::send(ThreadId to, FrameKind kind, std::uint64_t ticket,
                         std::span<const std::byte> body) {
  LATCHLAB_CHECK(body.size() <= kBodyBytes, "a frame's body is too long");
  FrameHead head;
  head.kind = kind;
  head.thread = id_.index;
  head.node = id_.node.value;
  head.bytes = static_cast<std::uint16_t>(body.size());
  head.to_thread = to.index;
  head.ticket = ticket;
  std::vector<std::byte> frame(sizeof(head) + body.size());
  std::memcpy(frame.data(), &head, sizeof(head));
  if (!body.empty()) std::memcpy(frame.data() + sizeof(head), body.data(), body.size());
  if (to == id_) return own_.push_back(std::move(frame));
  if (goes_via_control(kind)) return send_via_control(to, std::move(frame));
  if (!reaches(to)) return;  // the owner has been told
  auto found = channels_.find(to);
  if (found == channels_.end()) {
    ask_for_channel(to);
    found = channels_.find(to);
  }
  found->second.waiting.push_back(std::move(frame));
  take_turn(to, found->second);
  send_in_turn();
}

void FrameExchange::take_turn(ThreadId to, ChannelQp& channel) {
  const bool speaks = !channel.waiting.empty() && channel.credits > 0;
  if (channel.state != ChannelQp::State::ready || channel.in_turn ||
      channel.on_the_way == kChannelDepth || !(speaks || channel.owed >= kTell))
    return;
  channel.in_turn = true;
  turns_.push_back(to);
}

// Sends one frame for each channel in turn, so that a busy channel or a slow peer does not delay
// the others.
void FrameExchange::send_in_turn() {
  while (!turns_.empty() && !free_slots_.empty()) {
    const ThreadId to = turns_.front();
    turns_.pop_front();
    ChannelQp& channel = channels_.at(to);
    channel.in_turn = false;
    if (channel.state != ChannelQp::State::ready) continue;
    if (!channel.waiting.empty() && channel.credits > 0) {
      const std::vector<std::byte> frame = std::move(channel.waiting.front());
      channel.waiting.pop_front();
      --channel.credits;
      put_on_channel(to, channel, frame);
    } else if (channel.owed >= kTell) {
      const FrameHead head{FrameKind::credits, id_.index, id_.node.value, 0, to.index};
      put_on_channel(to, channel, std::as_bytes(std::span(&head, 1)));
    }
    take_turn(to, channel);
  }
}

void FrameExchange::put_on_channel(ThreadId to, ChannelQp& channel,
                                   std::span<const std::byte> frame) {
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {&channel, to};
  FrameHead head = head_of(frame);
  head.credits = static_cast<std::uint8_t>(std::exchange(channel.owed, 0));
  std::memcpy(send_memory(slot), frame.data(), frame.size());
  std::memcpy(send_memory(slot), &head, sizeof(head));
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

void FrameExchange::sent(const Done& done) {
  const auto slot = static_cast<std::uint32_t>(done.id & ~kSendTag);
  const SendSlot was = slots_[slot];
  free_slots_.push_back(slot);
  --was.channel->on_the_way;
  if (done.status != 0) lose(was.to, *was.channel);
  take_turn(was.to, *was.channel);
  send_in_turn();
}

void FrameExchange::received(ChannelGroup& group, const Done& done) {
  const auto slot = static_cast<std::uint32_t>(done.id & ~kRecvTag);
  const std::byte* const frame = group.recvs->slot(slot);
  const bool whole = done.status == 0 && done.bytes >= sizeof(FrameHead) &&
                     head_of({frame, done.bytes}).bytes <= done.bytes - sizeof(FrameHead);
  if (!whole) return group.recvs->post(slot);
  const FrameHead head = head_of({frame, done.bytes});
  // Frames on the control path come from the memory server there, whichever thread sent them.
  const ThreadId from = goes_via_control(head.kind) ? memory_servers_.at(NodeId{head.node})
                                                    : ThreadId{NodeId{head.node}, head.thread};
  ChannelQp& channel = channels_.at(from);
  channel.credits += head.credits;
  if (channel.state == ChannelQp::State::answering) channel.state = ChannelQp::State::ready;
  if (head.kind != FrameKind::credits) arrived(head, {frame, sizeof(head) + head.bytes});
  group.recvs->post(slot);
  if (head.kind != FrameKind::credits) ++channel.owed;  // only now is the RECV posted again
  take_turn(from, channel);
  send_in_turn();
}

// Called for frames from a channel and from the control path.
void FrameExchange::arrived(const FrameHead& head, std::span<const std::byte> frame) {
  if (head.to_thread == id_.index) return dispatch(head, frame.subspan(sizeof(head)));
  mailbox_.put(head.to_thread, {{id_.node, head.to_thread}, {frame.begin(), frame.end()}});
}

void FrameExchange::dispatch(const FrameHead& head, std::span<const std::byte> body) {
  const ThreadId from{NodeId{head.node}, head.thread};
  FrameReader reader(body);
  if (head.kind == FrameKind::cut_off) return cut_off(from);
  if (head.kind == FrameKind::knock) return;
  if (QpAddress end; head.kind == FrameKind::channel && reader.take(end))
    return channel_asked(from, end);
  if (QpAddress end; head.kind == FrameKind::channel_answer && reader.take(end))
    return channel_answered(from, end);
  owner_->frame_came(head, body);
}

std::size_t FrameExchange::deliver_own() {
  const std::size_t count = own_.size();  // frames that these cause are delivered by the next poll
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::byte> frame = std::move(own_.front());
    own_.pop_front();
    const FrameHead head = head_of(frame);
    dispatch(head, {frame.data() + sizeof(head), head.bytes});
  }
  return count;
}

std::size_t FrameExchange::poll() {
  std::array<Done, kPolled> done;
  std::size_t total = 0;
  drained_ = true;
  for (std::size_t g = 0; g < groups_.size(); ++g) {  // a handler may add groups
    ChannelGroup& group = *groups_[g];
    const std::size_t count = group.cq.poll(done);
    drained_ = drained_ && count < done.size();
    for (std::size_t i = 0; i < count; ++i)
      if ((done[i].id & kRecvTag) != 0)
        received(group, done[i]);
      else
        sent(done[i]);
    total += count;
  }
  return total + take_mail() + deliver_own();
}

void FrameExchange::arm() {
  for (const auto& group : groups_) group->cq.arm();
}

std::array<int, 2> FrameExchange::bells() const {
  return {cq_.bell(), mailbox_.bell(id_.index).descriptor()};
}

void FrameExchange::take_events() {
  cq_.take_events();
  mailbox_.bell(id_.index).hear();
}

void FrameExchange::sleep_until_any(Duration longest) {
  sleep_on(bells(), longest);
  take_events();
}

}  // namespace latchlab::ib
