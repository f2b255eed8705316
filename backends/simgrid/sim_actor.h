#pragma once
// One actor in the simulated world: hands everything to the simulator, and holds what belongs to
// it.

#include <coroutine>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simgrid/sim_node.h"
#include "backends/simgrid/simgrid_backend.h"
#include "core/verbs/verbs.h"
#include "core/world/backend.h"

namespace latchlab::sim {

class Simulator;

// One target at a time (DCI).
struct Initiator {
  EndpointAddr target;         // the last one
  Fifo<SimOperation> waiting;  // sends leave one after the other: each is acknowledged first
  bool busy = false;           // one is on its way, or the DCI is being reset
};

// Of a server part.
struct Serving {
  CallHandler* handler = nullptr;
  std::vector<Task<void>> calls;  // under way
};

// Of an actor whose CPU has had a fault.
struct CpuTrouble {
  std::int64_t slow_ppb = 0;  // added to each unit of its CPU time
  Time paused_until;          // its coroutine is not resumed before
  Duration paused_total;
  std::vector<Ready> paused;  // what it has to go on with
};

class SimActor final : public Verbs {
 public:
  SimActor(Simulator& simulator, std::uint32_t number, ActorKind kind, NodeId node, ClientId client,
           const Rng& rng, const NicModel& its_nic)
      : Verbs(kind, node, client, rng), simulator_(simulator), nic(its_nic), index(number) {}

  EndpointAddr open(std::uint32_t recv_depth, Transport transport) override;
  void reply(const PendingCall& pending, const Reply& reply) override;
  Time now() const override;
  Membership membership() const override;
  Operation& take_operation() override;
  void start(Operation& first) override;
  void recycle(Operation& op) override;
  void start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) override;
  WaitOperation& take_wait() override;
  void start_wait(WaitOperation& op) override;
  void recycle_wait(WaitOperation& op) override;

 private:
  Simulator& simulator_;

 public:
  const NicModel& nic;  // of its node
  Task<void> root;
  const std::uint32_t index;  // from 1; orders events of equal dates
  std::uint32_t life = 1;     // moves on when the coroutine is destroyed
  bool evicted = false;       // its QPs are destroyed: nothing of it lands any more
  bool alive = true;
  bool watching = false;  // listed in its node's watchers
  VerbStatus detached_error = VerbStatus::ok;
  std::uint32_t detached = 0;  // posted verbs not complete yet
  QpTable qps;
  QpTable* shared_qps = nullptr;  // its core's or node's, in place of its own
  Core* core = nullptr;           // null: one of its own, and posting never waits
  Initiator initiator;
  SimOperation* flushing = nullptr;
  Fifo<SimWait> waits;               // armed
  std::unique_ptr<CpuTrouble> cpu;   // null: none so far
  std::unique_ptr<Serving> serving;  // null: no server part

  bool paused(Time now) const { return cpu != nullptr && cpu->paused_until > now; }
  Duration paused_total() const { return cpu != nullptr ? cpu->paused_total : Duration{}; }
  CpuTrouble& trouble() {
    if (!cpu) cpu = std::make_unique<CpuTrouble>();
    return *cpu;
  }
};

// What the seam is on these RNICs: what all of them can.
Capabilities simulated_capabilities(const SimgridOptions& options);
std::int64_t femtoseconds_per_byte(std::int64_t bits_per_s);  // 0 for a rate of 0

}  // namespace latchlab::sim
