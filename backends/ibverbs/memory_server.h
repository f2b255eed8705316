#pragma once
// The thread that answers for a node's memory: makes the other ends of clients' QPs, allocates,
// evicts, and, where the node's memory is an agent's, executes every verb on it.
//
// Agent: all verbs on an agent's memory come here, READs and WRITEs and whole batches included, and
// are executed in posting order, each by a load and a store without lock prefix: races with CPU
// accesses show as they do with an RNIC. Verbs of all widths are atomic among themselves, because
// there is one agent.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "backends/ibverbs/clock_offset.h"
#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/frame_exchange.h"
#include "backends/ibverbs/kept.h"
#include "backends/ibverbs/memory.h"

namespace latchlab::ib {

class MemoryServer final : public FrameExchange::Owner {
 public:
  // `clients`: of the whole run, for evictions. `queues`: of this thread.
  MemoryServer(std::unique_ptr<FrameExchange> frames, Memory& memory, std::uint32_t clients,
               ThreadQueues& queues);
  ~MemoryServer() override;

  FrameExchange& frames() { return *frames_; }
  // Asks another memory server so many times what its clock says, as soon as this has started.
  void compare_clock(ThreadId with, std::uint32_t times) {
    clock_of_ = with;
    clock_times_ = times;
  }
  // nullptr: it has not answered all yet.
  const ClockProbe* clock() const {
    return clock_compared_.load(std::memory_order_acquire) ? &clock_probe_ : nullptr;
  }
  // Makes the node's DC target. Before start.
  Status offer_dc();
  const DctAddress& dct() const { return target_.address(); }
  // Begins to answer; the thread's channels are connected.
  void start();
  // Answers no more; what is asked then is never answered.
  void stop();
  // As stop, and peers' verbs fail: the node is dead.
  void die();
  // After stop: leaves those of its ends to the next world whose numbers their peers have vouched
  // for, but for evicted clients'.
  void give_back(const std::set<std::uint32_t>& vouched);
  bool evicted(ActorKey actor) const {
    return actor < evicted_.size() && evicted_[actor].load(std::memory_order_acquire) != 0;
  }

  void frame_came(const FrameHead& head, std::span<const std::byte> body) override;
  void peer_is_gone(ThreadId) override {}
  void verb_done(const Done&) override {}

 private:
  void run();
  void connect(ThreadId asker, std::uint64_t ticket, const ConnectBody& wanted);
  VerbStatus take_kept(const ConnectBody& wanted);
  VerbStatus make_responder(const ConnectBody& wanted);
  void evict(ThreadId asker, std::uint64_t ticket, const EvictBody& wanted);
  void tell_region(ThreadId asker, std::uint64_t ticket, const RegionBody& wanted);
  void allocate(ThreadId asker, std::uint64_t ticket, const RegionBody& wanted);
  void ask_for_clock();
  void clock_told(std::int64_t told_ns);
  void serve_agent(ThreadId asker, FrameReader& reader);
  AgentResult execute(const AgentVerb& verb, const std::byte* data, bool allowed);

  std::unique_ptr<FrameExchange> frames_;
  Memory& memory_;
  ThreadQueues& queues_;
  std::vector<std::atomic<std::uint8_t>> evicted_;  // by client
  std::map<ActorKey, QueuePair> responders_;
  std::unique_ptr<RecvPool> unused_recvs_;  // nobody sends to the target
  DcTarget target_;
  std::map<ThreadId, bool> batch_failed_;  // the last batch of this thread for the agent
  ThreadId clock_of_;
  std::uint32_t clock_times_ = 0;
  std::int64_t clock_asked_ns_ = 0;
  ClockProbe clock_probe_;
  std::atomic<bool> clock_compared_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> die_ = false;
  std::thread thread_;
};

}  // namespace latchlab::ib
