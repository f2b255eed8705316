#pragma once
// One thread's frames on one node, by its channel QPs (`ChannelQp`): an RC QP to each other thread
// that it exchanges frames with. Used by one thread.
//
// Channels. Before the run, each two memory servers have one. Any other is made when its first
// frame is to be sent: the two threads exchange the addresses of its ends over the control path.
// The control path leads through memory to the memory server of the sender's node, over its channel
// to that of the receiver's node, and through memory again. Rare frames also use it
// (goes_via_control in wire.h). Between two threads, the frames on the channel arrive once and in
// order, and so do those on the control path; there is no order between the two.
//
// Credits. A frame leaves when the receiver's end of its channel has a RECV for it. The receiver
// returns the credit after it has handled the frame, so that receiver-not-ready never occurs on a
// channel.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "backends/ibverbs/mailbox.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wire.h"

namespace latchlab::ib {

struct ThreadQueues;  // connection_cache.h

class FrameExchange {
 public:
  // Receives what other threads send.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void frame_came(const FrameHead& head, std::span<const std::byte> body) = 0;
    // The thread is not reachable any more; if it is a memory server, its node is not reachable
    // over the control path. What was sent to it may or may not have arrived.
    virtual void peer_is_gone(ThreadId peer) = 0;
  };

  // `mailbox`: of the node. `queues`: of the thread, whose CQ is for the owner's QPs.
  FrameExchange(const Device& device, ThreadId id, Mailbox& mailbox, std::uint8_t rnr_retries,
                ThreadQueues& queues);

  ThreadId id() const { return id_; }
  const Device& device() const { return device_; }
  void set_owner(Owner& owner) { owner_ = &owner; }

  // ---- for a memory server, before the run ----
  Status make_channels(const std::vector<ThreadId>& memory_servers);
  QpAddress channel_address(ThreadId memory_server) const {
    return channels_.at(memory_server).qp.address();
  }
  Status connect_channel(ThreadId memory_server, const QpAddress& there);

  // A frame to the thread itself arrives at its next poll.
  void send(ThreadId to, FrameKind kind, std::uint64_t ticket, std::span<const std::byte> body);
  template <class Body>
  void send(ThreadId to, FrameKind kind, std::uint64_t ticket, const Body& body) {
    send(to, kind, ticket, std::as_bytes(std::span(&body, 1)));
  }
  // False: frames to the thread are dropped, and the owner has been told. Makes no channel to find
  // out.
  bool reaches(ThreadId to) const;
  // Sends a frame without content: if the thread is gone, the owner will be told.
  void probe(ThreadId to);
  // Returns how many completions of channels and frames were handled.
  std::size_t poll();
  // Whether the last poll took everything that was there.
  bool drained() const { return drained_; }
  // As CompletionQueue, for all channels of this thread; the bells also ring for the CQ of the
  // owner's QPs, and for frames from other threads of the node.
  void arm();
  std::array<int, 2> bells() const;
  void take_events();
  void sleep_until_any(Duration longest);
  // Any thread: ends a memory server's sleep.
  void wake() { mailbox_.bell(id_.index).ring(); }
  // The node is lost: drops frames to it, and flushes what is under way to it.
  void node_is_gone(NodeId node);
  // Fails all channels: peers receive nothing more from this thread.
  void fail();

 private:
  static constexpr std::uint32_t kSends = 32;  // frames under way at once
  // Frames under way to one thread, so that no thread can take all of kSends.
  static constexpr std::uint32_t kPeerDepth = 8;
  // Credits are returned in a frame of their own when so many are owed. Two such frames may wait
  // for their receiver; their RECVs are in addition to its credits.
  static constexpr std::uint32_t kTell = kPeerDepth / 2;
  static constexpr std::uint32_t kChannelDepth = kPeerDepth + kPeerDepth / kTell;
  static constexpr std::uint64_t kSendTag = 1ULL << 62;

  // Some channels with a common CQ and common RECVs.
  struct ChannelGroup {
    CompletionQueue cq;
    std::unique_ptr<RecvPool> recvs;
    std::uint32_t free_channels = 0;
  };
  struct ChannelQp {
    enum class State : std::uint8_t {
      asking,     // the other end has been asked for
      answering,  // both ends exist; the other may not be ready until its first frame comes
      ready,
      gone,
    };
    State state = State::asking;
    QueuePair qp;
    std::uint32_t on_the_way = 0;                // SENDs that are not complete
    std::uint32_t credits = kPeerDepth;          // frames that the peer has a RECV for
    std::uint32_t owed = 0;                      // credits that have not been returned to the peer
    bool in_turn = false;                        // is in turns_
    std::deque<std::vector<std::byte>> waiting;  // whole frames
  };
  struct SendSlot {
    ChannelQp* channel = nullptr;
    ThreadId to;
  };

  bool is_memory_server() const { return id_.index == mailbox_.memory_server(); }

  // frames on channels (frame_exchange.cc)
  std::byte* send_memory(std::uint32_t slot) { return memory_.get() + slot * kFrameBytes; }
  void take_turn(ThreadId to, ChannelQp& channel);
  void send_in_turn();
  void put_on_channel(ThreadId to, ChannelQp& channel, std::span<const std::byte> frame);
  void sent(const Done& done);
  void received(ChannelGroup& group, const Done& done);
  void arrived(const FrameHead& head, std::span<const std::byte> frame);
  void dispatch(const FrameHead& head, std::span<const std::byte> body);
  std::size_t deliver_own();

  // making channels, and the control path (channel_qps.cc)
  Result<ChannelGroup*> group_with_room(std::uint32_t channels);
  Result<ChannelQp*> new_channel(ThreadId to, std::uint32_t expected);
  void ask_for_channel(ThreadId to);
  void channel_asked(ThreadId from, const QpAddress& theirs);
  void channel_answered(ThreadId from, const QpAddress& theirs);
  void lose(ThreadId to, ChannelQp& channel);
  void cut_off(ThreadId memory_server);
  void send_via_control(ThreadId to, std::vector<std::byte> frame);
  void forward(NodeId to, std::vector<std::byte> frame);
  std::size_t take_mail();

  const Device& device_;
  ThreadId id_;
  Mailbox& mailbox_;
  std::uint8_t rnr_retries_;
  CompletionQueue& cq_;  // of the owner's QPs
  const ThreadDomain& domain_;
  Owner* owner_ = nullptr;
  std::vector<std::unique_ptr<ChannelGroup>> groups_;
  std::unique_ptr<std::byte[]> memory_;  // allocated with the first group
  Registration registered_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<SendSlot> slots_;
  std::map<ThreadId, ChannelQp> channels_;
  // In a memory server: the memory servers that it has channels to.
  std::map<NodeId, ThreadId> memory_servers_;
  std::deque<ThreadId> turns_;  // channels with a frame to send and room for it
  std::deque<std::vector<std::byte>> own_;
  std::set<NodeId> cut_off_;  // nodes that the control path does not reach
  bool failed_ = false;
  bool drained_ = true;
};

}  // namespace latchlab::ib
