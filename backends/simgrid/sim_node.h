#pragma once
// Nodes of the simulated world, and their CPUs.

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "backends/simgrid/sim_operation.h"
#include "backends/simgrid/tag_cache.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/scenario/node_hardware.h"
#include "core/verbs/sparse_memory.h"

namespace latchlab::sim {

// Small, because most clients of a large crowd sleep.
struct SimSleep {
  SimActor* actor = nullptr;
  std::coroutine_handle<> waiter;
  std::uint64_t life = 0;  // the actor's when it lay down
};

// Fires at a call's deadline, if that call is still the one with this number.
struct CallTimer {
  SimOperation* op = nullptr;
  std::uint64_t call = 0;
};

// What wants a core: the first operation of a batch that is over, a wait or a sleep that is, a call
// that has come in, or (none of them) an actor that begins.
struct Ready {
  SimActor* actor = nullptr;
  SimOperation* first = nullptr;  // or
  SimWait* wait = nullptr;        // or
  SimSleep* sleep = nullptr;      // or, at the end, `call`
  Time since;                     // not before this date
  Duration cost;  // CPU time that handling it takes; it is over by `since` on an idle core
  SimOperation* call = nullptr;
};

// One CPU core: what it is asked for is done in turn, each to its end.
struct Core {
  std::uint32_t order = 0;  // of its events among equal dates
  Time free;
  std::deque<Ready> ready;
  std::uint32_t held = 0;  // CPU operations under way: whoever asked for them goes on with them
  bool scheduled = false;  // its event is under way, or it is running
  CoreQueue* shared = nullptr;  // of a server part: where it finds more
  QpTable qps;                  // with QpOwner::core

  bool idle() const { return !scheduled && held == 0 && ready.empty(); }
};

// The cores of a server part, with one queue for all of them.
struct CoreQueue {
  std::deque<Core> cores;
  std::deque<Ready> waiting;  // while no core is idle, or their actor is paused
  // statistics since reset_stats
  Duration busy;    // includes what is queued, up to each core's `free`
  Duration queued;  // of what has got a core
  std::uint64_t starts = 0;

  // `ready` has got a core.
  void count(const Ready& ready, Time now) {
    busy += ready.cost;
    queued += now - ready.since;
    ++starts;
  }
  // The one that has been idle for longest; null: none is.
  Core* idle_core() {
    Core* best = nullptr;
    for (Core& core : cores)
      if (core.idle() && (best == nullptr || core.free < best->free)) best = &core;
    return best;
  }
};

struct Node {
  NodeId id;
  bool hosts_locks = false;
  bool hosts_clients = false;
  SparseMemory memory;
  Nic* nic = nullptr;  // its own, or that of nodes which share one
  const ClockSpec* clocks = nullptr;
  std::int64_t drift_q60 = 0;  // how much faster than true time its clock runs, times 2^60
  Duration clock_offset;
  Time clock_since;                // drift has added up from here
  std::int64_t nic_drift_ppb = 0;  // of the RNIC's clock against the node's
  Duration nic_clock_offset;
  std::uint64_t device_bytes = 0;            // offsets below lie in the RNIC's memory
  TagCache cache;                            // what of its memory the CPU's cache holds
  std::vector<std::unique_ptr<Core>> cores;  // of clients that share any, or have had a fault
  std::uint32_t clients = 0;                 // added so far
  QpTable qps;                               // with QpOwner::node
  Time state_free;                           // on_node visits run one after the other
  std::unique_ptr<CoreQueue> server_cores;   // null: no server part
  std::vector<Endpoint> endpoints;           // by number - 1
  SimActor* server = nullptr;                // who answers calls
  std::vector<SimActor*> watchers;           // actors with word waits
  bool dead = false;
};

struct SimWait : WaitOperation {
  SimWait* queue_next = nullptr;           // armed: the actor's next, in the order of their start
  bool armed = false;                      // registered and not yet over
  bool waking = false;                     // over; its coroutine resumes soon
  bool on_core = false;                    // ... when a core has time for it
  Time deadline_true;                      // of set.deadline
  Time timer_at = kNever;                  // earliest timer event that is under way for this slot
  std::array<const void*, 4> frames = {};  // of its coroutine and of who awaits it; null: no more
};

}  // namespace latchlab::sim
