#pragma once
// Waits on the actor's own node (for messages, words in its memory, deadlines, membership) and
// sleeps; and which clients are members.

#include <array>
#include <coroutine>
#include <cstdint>
#include <vector>

#include "backends/simgrid/cpus.h"
#include "backends/simgrid/memory.h"
#include "backends/simgrid/messages.h"
#include "backends/simgrid/station.h"
#include "core/verbs/operation.h"

namespace latchlab::sim {

struct SimWait : WaitOperation {
  SimWait* queue_next = nullptr;  // while armed: the actor's next wait, in the order of their start
  bool armed = false;             // registered and not over yet
  Time deadline_true;             // true date of set.deadline
  Time timer_at = kNever;         // the earliest pending timer event of this slot
  std::array<const void*, 4> frames = {};  // of its coroutine and its awaiters; ends with null
};

// Small, because most clients of a large run sleep.
struct SimSleep {
  SimActor* actor = nullptr;
  std::coroutine_handle<> waiter;
  std::uint64_t life = 0;  // of the actor, when the sleep began
};

class Waits : Station {
 public:
  Waits(SimContext& context, Memory& memory, Messages& messages, Cpus& cpus, std::uint32_t clients)
      : Station(context),
        memory_(memory),
        messages_(messages),
        cpus_(cpus),
        lives_(nodes_),
        alive_(clients, true) {}

  SimWait& take();
  void start(SimActor& actor, SimWait& wait);
  void recycle(SimWait& wait) { waits_.give(wait); }
  void sleep(SimActor& actor, Duration length, std::coroutine_handle<> waiter);
  std::size_t in_use() const { return waits_.in_use() + sleeps_.in_use(); }

  // ---- gates ----
  void timer(SimWait& wait);  // the wait's deadline may have come
  void woken(SimWait& wait);
  void wake_up(SimSleep& sleep);
  // A core has time for the coroutine.
  void end(SimWait& wait);
  void end(SimSleep& sleep);

  void message_came(SimActor& actor);
  void word_changed(const Memory::Watchers& waits);

  // ---- faults ----
  void clock_moved(NodeId node);
  void remove_members(const std::vector<ClientId>& gone);
  void server_changed(NodeId server, std::uint32_t changes);
  void forget(SimActor& dead);

  Membership membership() const { return {membership_version_, &alive_}; }
  ServerLife life_of(NodeId server) const { return lives_[server]; }

 private:
  bool try_satisfy(SimActor& actor, SimWait& wait);
  bool take_other_end(SimActor& actor, SimWait& wait);  // any end other than a server's change
  void satisfied(SimActor& actor, SimWait& wait, Duration until_seen);
  void arm_timer(SimActor& actor, SimWait& wait);
  void watch(SimWait& wait);
  void share_words(const SimWait& wait);
  void watch_no_more(const SimWait& wait);
  void prepare(const SimActor& actor, const SimWait& wait) const;
  // Ends those of the actor's waits that `concerns` selects and whose condition holds.
  template <class Concerns>
  void check(SimActor& actor, Duration until_seen, Concerns&& concerns);

  Memory& memory_;
  Messages& messages_;
  Cpus& cpus_;
  Slots<SimWait> waits_;
  Slots<SimSleep> sleeps_;
  PerNode<ServerLife> lives_;  // as the clients know them
  std::vector<bool> alive_;    // false only after the detection delay
  std::uint64_t membership_version_ = 0;
};

}  // namespace latchlab::sim
