#pragma once
// One actor's Verbs in the explorer, with all of its operations and waits under way. The object
// outlives a crash of the actor, because its posted operations may still take effect.

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

  // ---- Verbs ----
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
  // Clears state of the past on which the future must not depend: counts, and the random stream.
  void forget_history();

  Arena* arena = nullptr;  // in a search: holds its coroutines and state

  bool alive = true;
  bool evicted = false;
  bool paused = false;  // searches only: its CPU makes no step; operations at its NIC continue
  Time paused_until;    // in timed searches
  std::uint64_t life = 0;
  SlotPool<OpSlot, 2> op_slots;
  SlotPool<WaitSlot, 1> wait_slots;
  SlotPool<ProbeSlot, 1> probe_slots;
  std::vector<Root> roots;   // after the slots: destroyed frames give slots back
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
