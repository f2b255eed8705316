#pragma once
// One thread's place on one node: its CQ, and its lanes, an RC QP each to another thread of the
// run. Used by one thread.
//
// Lanes. Before the run there is one between the memory servers of each two nodes; any other is
// made when its first frame is to be sent: the two threads tell each other their ends by post. Post
// goes through memory to the memory server of the sender's node, over its lane to that of the
// receiver's node, and through memory again. So does whatever is rare (goes_by_post in wire.h).
// Between two threads, what goes on the lane arrives once and in order, and so does what goes by
// post; not the one against the other.
//
// Credits. A frame leaves when the receiver's end of its lane has a RECV for it, which the receiver
// gives back after it has heard the frame: no lane is ever told that a receiver is not ready.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "backends/ibverbs/node_post.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wire.h"

namespace latchlab::ib {

struct ThreadQueues;  // kept.h

class FrameExchange {
 public:
  // Of the owner's QPs, outstanding at once: an error brings a completion for each, and the CQ has
  // room for no more. A memory server has none.
  static constexpr std::uint32_t kMostVerbs = 8000;

  // Hears of what the thread's CQ brings.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void frame_came(const FrameHead& head, std::span<const std::byte> body) = 0;
    // No frame reaches this thread any more, or none by post if it is a memory server; what was
    // sent to it may have arrived or not.
    virtual void peer_is_gone(ThreadId peer) = 0;
    // A completion of a QP of the owner's own.
    virtual void verb_done(const Done& done) = 0;
  };

  // `post`: of the node. `queues`: of the thread, for the owner's QPs too; made if they are not
  // yet.
  static Result<std::unique_ptr<FrameExchange>> make(const Device& device, ThreadId id,
                                                     NodePost& post, std::uint8_t rnr_retries,
                                                     ThreadQueues& queues);

  ThreadId id() const { return id_; }
  const Device& device() const { return device_; }
  const CompletionQueue& cq() const { return cq_; }
  // For the QPs that this thread posts to.
  const ThreadDomain& domain() const { return domain_; }
  void set_owner(Owner& owner) { owner_ = &owner; }

  // ---- of a memory server, before the run ----
  Status make_lanes(const std::vector<ThreadId>& keepers);
  QpAddress lane_address(ThreadId keeper) const { return lanes_.at(keeper).qp.address(); }
  Status connect_lane(ThreadId keeper, const QpAddress& there);

  // A frame to the thread itself arrives at its next poll.
  void send(ThreadId to, FrameKind kind, std::uint64_t ticket, std::span<const std::byte> body);
  template <class Body>
  void send(ThreadId to, FrameKind kind, std::uint64_t ticket, const Body& body) {
    send(to, kind, ticket, std::as_bytes(std::span(&body, 1)));
  }
  // False: nothing arrives there, and the owner has been told. A lane is not made to find out.
  bool reaches(ThreadId to) const;
  // If the thread is not there any more, the owner is told so some time.
  void probe(ThreadId to);
  // How many completions and frames were handled.
  std::size_t poll();
  // Whether the last poll left nothing behind.
  bool drained() const { return drained_; }
  // Sleep as CompletionQueue does, for all queues of this thread.
  void arm();
  void sleep_until_any(Duration longest);
  // Any thread: ends a memory server's sleep.
  void wake() { post_.ring(); }
  // Nothing of that node is expected any more, and what was under way to it comes back at once.
  void node_is_gone(NodeId node);
  // Closes all lanes: peers hear nothing more from this thread.
  void fail();

 private:
  static constexpr std::uint32_t kSends = 32;     // frames on their way at once
  static constexpr std::uint32_t kPeerDepth = 8;  // to one thread: none may keep all of them
  // So many credits that nobody has heard of are told in a frame of their own. Two such frames may
  // wait for their receiver; their RECVs are beyond its credits.
  static constexpr std::uint32_t kTell = kPeerDepth / 2;
  static constexpr std::uint32_t kLaneDepth = kPeerDepth + kPeerDepth / kTell;
  static constexpr std::uint64_t kSendTag = 1ULL << 62;

  // Of some lanes together: their CQ and their RECVs.
  struct LaneGroup {
    CompletionQueue cq;
    std::unique_ptr<RecvPool> recvs;
    std::uint32_t free_lanes = 0;
  };
  struct Lane {
    enum class State : std::uint8_t {
      asking,     // the other end is asked for
      answering,  // it is there, but perhaps not ready: until the first frame comes from it
      ready,
      gone,
    };
    State state = State::asking;
    QueuePair qp;
    std::uint32_t on_the_way = 0;                // SENDs that are not complete
    std::uint32_t credits = kPeerDepth;          // frames that the peer has a RECV for
    std::uint32_t owed = 0;                      // credits that the peer has not been told of
    bool in_turn = false;                        // stands in turns_
    std::deque<std::vector<std::byte>> waiting;  // whole frames
  };
  struct SendSlot {
    Lane* lane = nullptr;
    ThreadId to;
  };

  FrameExchange(const Device& device, ThreadId id, NodePost& post, std::uint8_t rnr_retries,
                ThreadQueues& queues);
  bool is_keeper() const { return id_.index == post_.keeper(); }

  // frames on lanes (frame_exchange.cc)
  std::byte* send_memory(std::uint32_t slot) { return memory_.get() + slot * kFrameBytes; }
  void take_turn(ThreadId to, Lane& lane);
  void send_in_turn();
  void put_on_lane(ThreadId to, Lane& lane, std::span<const std::byte> frame);
  void sent(const Done& done);
  void received(LaneGroup& group, const Done& done);
  void arrived(const FrameHead& head, std::span<const std::byte> frame);
  void dispatch(const FrameHead& head, std::span<const std::byte> body);
  std::size_t deliver_own();

  // lanes and post (lanes.cc)
  Result<LaneGroup*> group_with_room(std::uint32_t lanes);
  Result<Lane*> new_lane(ThreadId to, std::uint32_t expected);
  void ask_for_lane(ThreadId to);
  void lane_asked(ThreadId from, const LaneBody& theirs);
  void lane_answered(ThreadId from, const LaneBody& theirs);
  void lose(ThreadId to, Lane& lane);
  void cut_off(ThreadId keeper);
  void send_by_post(ThreadId to, std::vector<std::byte> frame);
  void forward(NodeId to, std::vector<std::byte> frame);
  std::size_t take_post();

  const Device& device_;
  ThreadId id_;
  NodePost& post_;
  std::uint8_t rnr_retries_;
  CompletionQueue& cq_;
  const ThreadDomain& domain_;
  Owner* owner_ = nullptr;
  std::vector<std::unique_ptr<LaneGroup>> groups_;
  std::unique_ptr<std::byte[]> memory_;  // with the first group
  Registration registered_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<SendSlot> slots_;
  std::map<ThreadId, Lane> lanes_;
  std::map<NodeId, ThreadId> keepers_;  // a memory server's: those that it has lanes to
  std::deque<ThreadId> turns_;          // lanes with something to send and room for it
  std::deque<std::vector<std::byte>> own_;
  std::set<NodeId> cut_off_;  // nothing arrives there by post
  bool failed_ = false;
  bool drained_ = true;
};

}  // namespace latchlab::ib
