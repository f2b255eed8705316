#pragma once
// CPUs: what actors do at home, cores that they share, and what can be wrong with a CPU. A client
// without a core here has one of its own and never waits for it; a fault of its CPU gives it a
// modelled one.
//
// A core does one thing at a time, to its end: posting, handling a completion, CPU access to
// registered memory, compute. What its clients can go on with waits in one queue; the node's part
// shares the first core with them. The server part of a node has cores apart from those, with one
// queue for them all: a call that comes in and whatever the part goes on with take the first that
// is free. Either keeps its core until it waits for something that is not CPU.

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "backends/simgrid/actors.h"
#include "backends/simgrid/nodes.h"
#include "backends/simgrid/sim_operation.h"
#include "core/scenario/node_hardware.h"
#include "core/world/backend.h"

namespace latchlab::sim {

class Calls;
class Clocks;
class Memory;
class Record;
class Waits;
struct CoreQueue;

enum class ReadyFor : std::uint8_t {
  root,   // an actor begins
  batch,  // its first operation: all are over
  wait,   // it is over
  sleep,
  call,  // one that has come in
};

// What wants a core.
struct Ready {
  SimActor* actor;
  ReadyFor what;
  void* subject;
  Time since;          // not before this date
  Duration cost = {};  // CPU time that handling it takes; it is over by `since` on an idle core
};

struct Core {
  // What tells whether it is idle lies together: every call asks it of every core.
  Time free;
  std::uint32_t held = 0;  // CPU operations under way: whoever asked for them goes on with them
  bool scheduled = false;  // its event is under way, or it is running
  std::deque<Ready> ready;
  std::uint32_t order = 0;      // of its events among equal dates
  CoreQueue* shared = nullptr;  // of a server part: where it finds more, and what counts its work
  Duration busy;                // of a client's, since reset_stats, up to `free`

  bool idle() const { return !scheduled && held == 0 && ready.empty(); }
  Duration still_to_do(Time now) const;
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
  Core* idle_core();  // the one that has been idle for longest; null: none is
  Duration still_to_do(Time now) const;
};

inline constexpr std::int64_t kFullSpeed = 1'000'000'000;  // factors of CPU time, per billion

// Of an actor whose CPU has had a fault, or half a core.
struct CpuTrouble {
  std::int64_t slow_ppb = 0;           // added to each unit of its CPU time, for both causes
  std::int64_t core_ppb = kFullSpeed;  // how many times as long it takes for want of a whole core
  Time paused_until;                   // its coroutine is not resumed before
  Duration paused_total;
  std::vector<Ready> paused;  // what it has to go on with
};

// The parts that it asks.
struct CpusNeeds {
  Timeline& timeline_;
  Record& record_;
  Actors& actors_;
  const Nodes& nodes_;
  Clocks& clocks_;
  Memory& memory_;
  OperationPool& operations_;
  Waits& waits_;
  Calls& calls_;
};

class Cpus : CpusNeeds {
 public:
  // `per_node`: shared by its clients; 0: each has its own.
  struct Cores {
    std::uint32_t per_node;
    CoreSharing sharing;
  };
  Cpus(const CpusNeeds& needs, const Cores& cores) : CpusNeeds(needs), cores_(cores), of_(nodes_) {}

  // Gives a new actor its core, if it has one here.
  void place(SimActor& actor);
  const Core* core_of(const SimActor& actor) const { return actor.cpu.core_; }

  // When the CPU has posted what it posts now: requests to RNICs, or an operation at home.
  Time posted(SimActor& actor, OpKind kind);
  void count_detached(SimActor& actor) { ++actor.cpu.detached_; }
  void post(SimActor& actor, SimOperation& op);  // at home
  // An operation of any kind is over: wakes whoever waits for it (for all of its batch) when its
  // core has time, or frees the slot.
  void finish(SimOperation& op);
  // It goes on when its core has time; false: it has none, and nothing to wait for. `handling`: CPU
  // time, of a CPU that is not slow, that is over by `since`.
  bool queue(Ready ready, Duration handling);

  // ---- events ----
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
    // Of clients that take turns, have half of one, or have had a fault.
    std::vector<std::unique_ptr<Core>> cores;
    std::vector<SimActor*> clients;     // placed so far
    Time state_free;                    // on_node visits run one after the other
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
  void go_on(const Ready& ready);
  void hand_over(SimActor& actor, SimOperation& first);
  bool paused(const SimActor& actor) const;
  Duration paused_total(const SimActor& actor) const;
  CpuTrouble& trouble(SimActor& actor);
  void end_pause(SimActor& actor);
  // cpu_operations.cc
  Time end_of_operation(SimActor& actor, SimOperation& op);
  Time work_or_pass(SimActor& actor, Duration length);
  void finish_detached(SimOperation& op);

  const Cores cores_;
  PerNode<OfNode> of_;
};

}  // namespace latchlab::sim
