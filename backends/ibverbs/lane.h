#pragma once
// One thread's place on one node: its CQ, its RECVs, and a channel (RC QP) to every other lane of
// the run. Frames arrive once and in order. Used by one thread.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wire.h"

namespace latchlab::ib {

class Lane {
 public:
  // Of the owner's QPs, outstanding at once: an error brings a completion for each, and the CQ has
  // room for no more.
  static constexpr std::uint32_t kMostVerbs = 8000;

  // Hears of what the lane's CQ brings.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void frame_came(const FrameHead& head, std::span<const std::byte> body) = 0;
    // No frame reaches this lane any more; what was sent to it may have arrived or not.
    virtual void peer_is_gone(LaneId peer) = 0;
    // A completion of a QP of the owner's own.
    virtual void verb_done(const Done& done) = 0;
  };

  // `lanes`: of every node, in the order of the run; channels are made for all but itself.
  static Result<std::unique_ptr<Lane>> make(const Device& device, LaneId id,
                                            const std::vector<LaneId>& lanes);

  LaneId id() const { return id_; }
  const Device& device() const { return device_; }
  const CompletionQueue& cq() const { return cq_; }
  CompletionQueue& cq() { return cq_; }
  // Addresses of the channels, in the order of `lanes`; the own place is empty.
  std::vector<QpAddress> addresses() const;
  Status connect(const std::vector<QpAddress>& peers);  // in the order of `lanes`
  void set_owner(Owner& owner) { owner_ = &owner; }

  // A frame to the lane itself arrives at its next poll.
  void send(LaneId to, FrameKind kind, std::uint64_t ticket, std::span<const std::byte> body);
  template <class Body>
  void send(LaneId to, FrameKind kind, std::uint64_t ticket, const Body& body) {
    send(to, kind, ticket, std::as_bytes(std::span(&body, 1)));
  }
  bool reaches(LaneId to) const;
  // How many completions and own frames were handled.
  std::size_t poll();
  // Whether the last poll left nothing in the CQ.
  bool drained() const { return drained_; }
  // Nothing of that node is expected any more, and what was under way to it comes back at once.
  void node_is_gone(NodeId node);
  // Closes all channels: peers hear nothing more from this lane.
  void fail();

 private:
  static constexpr std::uint32_t kRecvs = 128;
  static constexpr std::uint32_t kSends = 32;        // frames on their way at once
  static constexpr std::uint32_t kChannelDepth = 8;  // to one lane: none may keep all of them
  static constexpr std::uint64_t kSendTag = 1ULL << 62;

  struct Channel {
    QueuePair qp;
    std::uint32_t place = 0;  // in the order of the run
    std::uint32_t on_the_way = 0;
    bool gone = false;
    bool in_turn = false;                        // stands in turns_
    std::deque<std::vector<std::byte>> waiting;  // whole frames
  };
  struct SendSlot {
    Channel* channel = nullptr;
    LaneId to;
  };

  Lane(const Device& device, LaneId id) : device_(device), id_(id) {}
  std::byte* send_memory(std::uint32_t slot) { return memory_.get() + slot * kFrameBytes; }
  void post(LaneId to, Channel& channel, std::span<const std::byte> frame);
  void take_turn(LaneId to, Channel& channel);
  void send_in_turn();
  void sent(const Done& done);
  void received(const Done& done);
  void lose(LaneId to, Channel& channel);
  std::size_t deliver_own();

  const Device& device_;
  LaneId id_;
  Owner* owner_ = nullptr;
  CompletionQueue cq_;
  std::unique_ptr<RecvPool> recvs_;
  std::unique_ptr<std::byte[]> memory_;
  Registration registered_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<SendSlot> slots_;
  std::map<LaneId, Channel> channels_;
  std::deque<LaneId> turns_;  // channels with something to send and room for it
  std::deque<std::vector<std::byte>> own_;
  std::uint32_t lanes_ = 0;
  bool drained_ = true;
};

}  // namespace latchlab::ib
