#pragma once
// The memory-server thread of a node: makes the other ends of clients' QPs, allocates, evicts, and
// with software atomics executes every verb on the node's memory.
//
// It is a proxy then: all verbs on its memory come here, READs, WRITEs and whole batches included,
// and are executed in posting order, each by loads and stores without a lock prefix, so that races
// with CPU accesses occur as they do with an RNIC. Verbs of all widths are atomic with each other,
// because one thread executes them.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "backends/ibverbs/clock_offset.h"
#include "backends/ibverbs/connection_cache.h"
#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/frame_exchange.h"
#include "backends/ibverbs/memory.h"

namespace latchlab::ib {

class MemoryServer final : public FrameExchange::Owner {
 public:
  // `clients`: of the whole run, for evictions. `queues`: of this thread.
  MemoryServer(std::unique_ptr<FrameExchange> frames, Memory& memory, std::uint32_t clients,
               ThreadQueues& queues);
  ~MemoryServer() override;

  FrameExchange& frames() { return *frames_; }
  // Asks another memory server `times` times for its clock, as soon as this one has started.
  void compare_clock(ThreadId with, std::uint32_t times) {
    clock_of_ = with;
    clock_times_ = times;
  }
  // nullptr: not all answers have come yet.
  const ClockProbe* clock() const {
    return clock_compared_.load(std::memory_order_acquire) ? &clock_probe_ : nullptr;
  }
  // Makes the node's DC target. Before start().
  Status offer_dc();
  const DctAddress& dct() const { return target_.address(); }
  // Starts the thread; its channels are connected.
  void start();
  // Stops the thread; later requests get no answer.
  void stop();
  // As stop(), and peers' verbs fail, as after a crash of the node.
  void die();
  // After stop(): keeps those ends for the next run whose numbers their peers have confirmed,
  // except those of evicted clients.
  void give_back(const std::set<std::uint32_t>& confirmed);
  bool evicted(ActorKey actor) const {
    return actor < evicted_.size() && evicted_[actor].load(std::memory_order_acquire) != 0;
  }

  void frame_came(const FrameHead& head, std::span<const std::byte> body) override;
  void peer_is_gone(ThreadId) override {}

 private:
  void run();
  void connect(ThreadId asker, std::uint64_t ticket, const ConnectBody& wanted);
  VerbStatus take_kept(const ConnectBody& wanted);
  VerbStatus make_responder(const ConnectBody& wanted);
  void evict(ThreadId asker, std::uint64_t ticket, ClientId client);
  // Null: there is no such region.
  void tell_region(ThreadId asker, std::uint64_t ticket, const Region* region);
  void ask_for_clock();
  void clock_told(std::int64_t told_ns);
  void serve_proxy(ThreadId asker, FrameReader& reader);
  ProxyResult execute(const ProxyVerb& verb, const std::byte* data, bool allowed);

  std::unique_ptr<FrameExchange> frames_;
  Memory& memory_;
  ThreadQueues& queues_;
  std::vector<std::atomic<std::uint8_t>> evicted_;  // by client
  std::map<ActorKey, QueuePair> responders_;
  std::unique_ptr<RecvPool> unused_recvs_;  // the target gets no SENDs
  DcTarget target_;
  std::map<ThreadId, bool> batch_failed_;  // of the last batch of each thread
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
