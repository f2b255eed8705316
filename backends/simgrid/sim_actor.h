#pragma once
// One actor in the simulated world. Hands every request to the parts, and holds the state that each
// part keeps of an actor, which is private to that part.

#include <coroutine>
#include <cstdint>
#include <memory>

#include "backends/simgrid/qp.h"
#include "backends/simgrid/sim_operation.h"
#include "core/coro/task.h"
#include "core/scenario/nic.h"
#include "core/verbs/verbs.h"

namespace latchlab::sim {

struct CpuTrouble;
struct Parts;
struct SimWait;

class ActorQps {
  friend class Requester;
  QpTable own_;
  QpTable* shared_ = nullptr;  // its core's or node's, instead of its own
};

// The actor's DC initiator (DCI): it sends to one target at a time.
class ActorDci {
  friend class Messages;
  EndpointAddr target_;         // of the last send
  Fifo<SimOperation> waiting_;  // sends leave one after the other: each is acknowledged first
  bool busy_ = false;           // a send is in flight, or the DCI is being reset
};

class ActorCpu {
  friend class Cpus;
  Core* core_ = nullptr;  // null: it has a CPU of its own, and posting never waits
  VerbStatus detached_error_ = VerbStatus::ok;
  std::uint32_t detached_ = 0;  // detached operations that are not complete yet
  SimOperation* flushing_ = nullptr;
  std::unique_ptr<CpuTrouble> trouble_;  // null: none so far
};

class ActorWaits {
  friend class Waits;
  Fifo<SimWait> armed_;
};

class SimActor final : public Verbs {
 public:
  // `its_nic`: of its node. `network_chance`: draws the jitter, loss and reordering of its
  // requests.
  SimActor(Parts& parts, std::uint32_t number, ActorKind kind, NodeId node, ClientId client,
           const Rng& rng, const Rng& network_chance, const NicModel& its_nic);
  ~SimActor() override;

  EndpointAddr open(std::uint32_t recv_depth, Transport transport) override;
  void reply(const PendingCall& pending, const Reply& reply) override;
  Time now() const override;
  Membership membership() const override;
  ServerLife life_of(NodeId server) const override;
  Operation& take_operation() override;
  void start(Operation& first) override;
  void recycle(Operation& op) override;
  void start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) override;
  WaitOperation& take_wait() override;
  void start_wait(WaitOperation& op) override;
  void recycle_wait(WaitOperation& op) override;

  // How long its RNIC retries before it gives up.
  Duration patience() const { return nic.ack_timeout * (nic.ack_retries + 1); }

 private:
  Parts& parts_;

 public:
  const NicModel& nic;
  const std::uint32_t index;  // from 1; orders events of equal dates
  std::uint32_t life = 1;     // grows when the coroutine is destroyed
  bool evicted = false;       // its QPs are destroyed: its verbs no longer take effect
  bool alive = true;
  Rng chance;
  Task<void> root;
  ActorQps qps;
  ActorDci dci;
  ActorCpu cpu;
  ActorWaits waits;
};

inline SimActor& owner(const SimOperation& op) {
  return static_cast<SimActor&>(*op.owner);
}

// Draws the jitter of a request that leaves, for the first time or again.
inline void draw_chance(SimOperation& op) {
  const std::uint64_t drawn = owner(op).chance.next();
  op.chance_there = static_cast<std::uint32_t>(drawn >> 32);
  op.chance_back = static_cast<std::uint32_t>(drawn);
}

}  // namespace latchlab::sim
