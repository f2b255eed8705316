#pragma once
// CPUs: the operations that actors run on their own node, the cores that they share, and faults of
// CPUs. An actor without a Core has a CPU of its own and never waits for it; a fault of that CPU
// gives it a Core.
//
// A core runs one piece of work at a time, to its end: posting, handling a completion, CPU access
// to registered memory, compute. Work of its clients waits in one queue; the node part shares the
// first core with them. The server part of a node has its own cores, with one queue for all of
// them: an incoming call, or work of the part itself, takes the first idle core. An actor keeps its
// core until it waits for something other than the CPU.

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "backends/simgrid/memory.h"
#include "backends/simgrid/station.h"
#include "core/scenario/node_hardware.h"
#include "core/world/backend.h"

namespace latchlab::sim {

struct CoreQueue;

// Work that wants a core. When a core has time, the subject enters the gate.
struct Ready {
  SimActor* actor;
  Gate gate;
  void* subject;
  Time since;          // starts no earlier than this
  Duration cost = {};  // CPU time of handling it; on an idle core it ends at `since`
};

struct Core {
  // The members that idle() reads are adjacent: each call reads them of every core.
  Time free;
  std::uint32_t held = 0;  // CPU operations under way: their actors keep the core
  bool scheduled = false;  // its event is pending, or run() is on the stack
  std::deque<Ready> ready;
  std::uint32_t order = 0;      // orders its events among equal dates
  std::uint32_t cache = 0;      // of a server part's: among the caches of the node
  CoreQueue* shared = nullptr;  // of a server part: takes work from it, and is counted in it
  Duration busy;                // a client's core: since reset_stats, up to `free`

  bool idle() const { return !scheduled && held == 0 && ready.empty(); }
  Duration still_to_do(Time now) const;
};

// The cores of a server part, with one queue for all of them.
struct CoreQueue {
  std::deque<Core> cores;
  std::deque<Ready> waiting;  // work for which no core is idle, or whose actor is paused
  // statistics since reset_stats
  Duration busy;    // includes queued work, up to each core's `free`
  Duration queued;  // time in the queue, of work that got a core
  std::uint64_t starts = 0;

  // A core starts `ready`.
  void count(const Ready& ready, Time now) {
    busy += ready.cost;
    queued += now - ready.since;
    ++starts;
  }
  Core* idle_core();  // the one that has been idle for longest; null: none is idle
  Duration still_to_do(Time now) const;
};

// The caches of a server part's cores are numbered from here down, those of clients from 0 up.
inline constexpr std::uint32_t kServerCaches = 63;
inline constexpr std::int64_t kFullSpeed = 1'000'000'000;  // CPU-time factors are per billion

// An actor whose CPU had a fault, or that has half a core.
struct CpuTrouble {
  std::int64_t slow_ppb = 0;           // added per billion of CPU time, for both causes
  std::int64_t core_ppb = kFullSpeed;  // CPU-time factor of sharing a core
  Time paused_until;                   // its coroutine is not resumed before this date
  Duration paused_total;
  std::vector<Ready> paused;  // work to resume after the pause
};

class Cpus : Station {
 public:
  // `per_node`: cores that the clients of a node share; 0: each client has its own.
  struct Cores {
    std::uint32_t per_node;
    CoreSharing sharing;
  };
  Cpus(SimContext& context, Memory& memory, const Cores& cores)
      : Station(context), memory_(memory), cores_(cores), of_(nodes_) {}

  // Gives a new actor its core, if the model has one for it.
  void place(SimActor& actor);
  const Core* core_of(const SimActor& actor) const { return actor.cpu.core_; }
  // The cache of the core that the actor is on, among those of its node. Hardware threads of one
  // core have one.
  std::uint32_t cache_of(const SimActor& actor) const {
    const Core* const core = actor.cpu.core_;
    return core != nullptr && core->shared != nullptr ? core->cache : actor.cpu.cache_;
  }

  // When the CPU has posted requests to RNICs, or an operation on its own node.
  Time posted(SimActor& actor, OpKind kind);
  void count_detached(SimActor& actor) { ++actor.cpu.detached_; }
  void post(SimActor& actor, SimOperation& op);  // operations on the actor's own node
  // Queues work on its actor's core. False: the actor has no core and does not have to wait.
  // `handling`: CPU time, on a CPU of normal speed, that ends at `since`.
  bool queue(Ready ready, Duration handling);

  // ---- gates ----
  // An operation that an RNIC has executed is over.
  void finish_remote(SimOperation& op) {
    record_.count_ended(op);
    finish(op);
  }
  // A batch is complete, and its actor's core has time.
  void hand_over(SimOperation& first) { hand_over(owner(first), first); }
  void begin(SimActor& actor);
  void local_done(SimOperation& op);
  void run(Core& core);

  // ---- faults ----
  void pause(SimActor& actor, Duration length);
  void slow_down(SimActor& actor, std::int64_t factor_ppb);
  void forget(SimActor& dead);

  void reset_stats();
  CpuStats busiest() const;
  CpuStats of_clients() const;

 private:
  struct OfNode {
    // Cores of clients that share them, have half of one, or had a fault.
    std::vector<std::unique_ptr<Core>> cores;
    std::vector<SimActor*> clients;  // placed so far
    std::uint32_t caches = 0;        // of the parts and clients with a CPU of their own
    // on_node visits that are not over: those about one lock run one after the other.
    struct Visit {
      std::uint64_t part = 0;
      Time until;
    };
    Visit one;                  // mostly the only one
    std::vector<Visit> others;  // some may be over

    // When the visits about `part` are over, to be replaced by the end of the next one.
    Time& visited_until(std::uint64_t part, Time now) {
      if (!others.empty() || (one.part != part && one.until > now)) return among_others(part, now);
      one.part = part;
      return one.until;
    }
    Time& among_others(std::uint64_t part, Time now);
    std::unique_ptr<CoreQueue> server;  // null: no server part
  };

  // cpus.cc
  void place_on_server(SimActor& actor);
  void halve_core(SimActor& actor);
  Core& own_core(SimActor& actor);
  Duration cpu_time(const SimActor& actor, Duration length) const;
  Time work(SimActor& actor, Duration length);
  void hold_core(SimActor& actor, SimOperation& op);
  void go_on_holding(SimActor& actor, const SimOperation& op, SimOperation& first);
  void enqueue(const Ready& ready);
  bool has_work(Core& core);
  bool paused(const SimActor& actor) const;
  Duration paused_total(const SimActor& actor) const;
  CpuTrouble& trouble(SimActor& actor);
  void end_pause(SimActor& actor);
  // cpu_operations.cc
  Time end_of_operation(SimActor& actor, SimOperation& op);
  Time work_or_pass(SimActor& actor, Duration length);
  // An operation of any kind is over. Resumes the coroutine that awaits its whole batch, when its
  // core has time, or frees the slot.
  void finish(SimOperation& op);
  void hand_over(SimActor& actor, SimOperation& first);
  void finish_detached(SimOperation& op);

  Memory& memory_;
  const Cores cores_;
  PerNode<OfNode> of_;
  std::deque<CpuTrouble> troubles_;
};

}  // namespace latchlab::sim
