#pragma once
// One thread's place on one node: its CQ, its RECVs, and an RC QP to every other thread of
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

class FrameExchange {
 public:
  // Of the owner's QPs, outstanding at once: an error brings a completion for each, and the CQ has
  // room for no more.
  static constexpr std::uint32_t kMostVerbs = 8000;

  // Hears of what the thread's CQ brings.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void frame_came(const FrameHead& head, std::span<const std::byte> body) = 0;
    // No frame reaches this thread any more; what was sent to it may have arrived or not.
    virtual void peer_is_gone(ThreadId peer) = 0;
    // A completion of a QP of the owner's own.
    virtual void verb_done(const Done& done) = 0;
  };

  // `threads`: of every node, in the order of the run; channels are made for all but itself.
  static Result<std::unique_ptr<FrameExchange>> make(const Device& device, ThreadId id,
                                                     const std::vector<ThreadId>& threads);

  ThreadId id() const { return id_; }
  const Device& device() const { return device_; }
  const CompletionQueue& cq() const { return cq_; }
  CompletionQueue& cq() { return cq_; }
  // Addresses of the channels, in the order of `threads`; the own place is empty.
  std::vector<QpAddress> addresses() const;
  Status connect(const std::vector<QpAddress>& peers);  // in the order of `threads`
  void set_owner(Owner& owner) { owner_ = &owner; }

  // A frame to the thread itself arrives at its next poll.
  void send(ThreadId to, FrameKind kind, std::uint64_t ticket, std::span<const std::byte> body);
  template <class Body>
  void send(ThreadId to, FrameKind kind, std::uint64_t ticket, const Body& body) {
    send(to, kind, ticket, std::as_bytes(std::span(&body, 1)));
  }
  bool reaches(ThreadId to) const;
  // How many completions and own frames were handled.
  std::size_t poll();
  // Whether the last poll left nothing in the CQ.
  bool drained() const { return drained_; }
  // Nothing of that node is expected any more, and what was under way to it comes back at once.
  void node_is_gone(NodeId node);
  // Closes all channels: peers hear nothing more from this thread.
  void fail();

 private:
  static constexpr std::uint32_t kRecvs = 128;
  static constexpr std::uint32_t kSends = 32;     // frames on their way at once
  static constexpr std::uint32_t kPeerDepth = 8;  // to one thread: none may keep all of them
  static constexpr std::uint64_t kSendTag = 1ULL << 62;

  struct PeerQp {
    QueuePair qp;
    std::uint32_t place = 0;  // in the order of the run
    std::uint32_t on_the_way = 0;
    bool gone = false;
    bool in_turn = false;                        // stands in turns_
    std::deque<std::vector<std::byte>> waiting;  // whole frames
  };
  struct SendSlot {
    PeerQp* peer = nullptr;
    ThreadId to;
  };

  FrameExchange(const Device& device, ThreadId id) : device_(device), id_(id) {}
  std::byte* send_memory(std::uint32_t slot) { return memory_.get() + slot * kFrameBytes; }
  void post(ThreadId to, PeerQp& peer, std::span<const std::byte> frame);
  void take_turn(ThreadId to, PeerQp& peer);
  void send_in_turn();
  void sent(const Done& done);
  void received(const Done& done);
  void lose(ThreadId to, PeerQp& peer);
  std::size_t deliver_own();

  const Device& device_;
  ThreadId id_;
  Owner* owner_ = nullptr;
  CompletionQueue cq_;
  std::unique_ptr<RecvPool> recvs_;
  std::unique_ptr<std::byte[]> memory_;
  Registration registered_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<SendSlot> slots_;
  std::map<ThreadId, PeerQp> peers_;
  std::deque<ThreadId> turns_;  // channels with something to send and room for it
  std::deque<std::vector<std::byte>> own_;
  std::uint32_t threads_ = 0;
  bool drained_ = true;
};

}  // namespace latchlab::ib
