#pragma once
// One actor's Verbs in the explorer, with everything that it has under way. The object outlives
// the actor's death: what was posted may still land.

#include <cstdint>
#include <vector>

#include "backends/explorer/arena.h"
#include "backends/explorer/slots.h"
#include "core/coro/task.h"
#include "core/verbs/verbs.h"

namespace latchlab::explorer {

class State;

// A coroutine of an actor.
struct Root {
  Task<void> task;
  Time start;
  bool started = false;
};

class Actor final : public Verbs {
 public:
  Actor(State& state, std::uint32_t index, ActorKind kind, NodeId node, ClientId client);

  // ---- the seam ----
  EndpointAddr open(std::uint32_t recv_depth, Transport transport) override;
  void reply(const PendingCall& pending, const Reply& reply) override;
  Task<RemoteWaitResult> await_remote(const RemoteWait& wait) override;
  Time now() const override;
  Membership membership() const override;
  Operation& take_operation() override;
  void start(Operation& first) override;
  void recycle(Operation& op) override;
  WaitOperation& take_wait() override;
  void start_wait(WaitOperation& op) override;
  void recycle_wait(WaitOperation& op) override;

  // ---- for the explorer ----
  std::uint32_t index() const { return index_; }
  // What the past has left and the future must not depend on: counts, and the random stream.
  void forget_history();

  Arena* arena = nullptr;  // where its coroutines and parts lie in a search

  bool alive = true;
  bool evicted = false;
  bool paused = false;  // its CPU does nothing; what its NIC has goes on (searches only)
  Time paused_until;    // in time
  std::uint64_t life = 0;
  SlotPool<OpSlot> op_slots;
  SlotPool<WaitSlot> wait_slots;
  SlotPool<ProbeSlot> probe_slots;
  std::vector<Root> roots;   // after the slots: frames give theirs back when they go
  std::vector<OpSlot*> ops;  // under way, in posting order
  std::vector<WaitSlot*> waits;
  std::vector<ProbeSlot*> probes;
  std::uint64_t detached = 0;  // detached operations under way
  VerbStatus detached_error = VerbStatus::ok;

 private:
  Task<RemoteWaitResult> look_when_worth_it(const RemoteWait& wait);

  State& state_;
  std::uint32_t index_;
};

}  // namespace latchlab::explorer
