#pragma once
// The interface of a backend. A backend is built for one run from a plan of the world; then actors
// are added to it, their coroutines are spawned, and it is run. Tests use the same interface, so
// that one test body runs in every backend.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/fingerprint.h"
#include "core/base/time.h"
#include "core/coro/task.h"
#include "core/verbs/capabilities.h"
#include "core/verbs/verbs.h"

namespace latchlab {

struct NodePlan {
  NodeId id;                // 1.. in the order of the plan
  std::uint64_t bytes = 0;  // registered memory: offsets [0, bytes)
  bool server = false;      // hosts lock entries; may have a server part
  bool clients = false;
  std::uint64_t device_bytes = 0;  // offsets [0, device_bytes) lie in the memory of its RNIC
  std::uint32_t group = 0;         // the group of its clients, from 1; 0: none
  NodeId rnic = kNoNode;           // the earlier node whose RNIC it shares; kNoNode: its own
};

struct WorldPlan {
  std::vector<NodePlan> nodes;
  std::uint64_t seed = 1;
  std::uint32_t clients = 0;
  // The client in whose memory a word lies, if clients run on its node (World::client_at); null:
  // not known.
  std::function<std::optional<ClientId>(RemoteAddr)> client_at;
  // Fills a new, zeroed part of a node's memory with its initial image; null: zeros.
  std::function<void(NodeId, std::uint64_t offset, std::span<std::uint64_t> words)> image;
};

enum class CrashKind : std::uint8_t { client, process, node };

enum class RunEnd : std::uint8_t {
  reached,   // the date was reached
  finished,  // every spawned client coroutine has ended
  stopped,   // request_stop was called
  stuck,     // clients are left, and no event can ever happen again: a deadlock
};

// Statistics of the busiest server's NIC, over [reset_stats, now].
struct NicStats {
  bool measured = false;
  std::uint64_t verbs = 0;
  Duration pipeline_busy;
  Duration hottest_slot_busy;
  Duration link_busy;
  Duration window_full;          // time in which no further atomic was admitted
  Duration slot_wait_total;      // atomics: from the pipeline to the slot
  std::uint64_t slot_waits = 0;  // the number of atomics in that sum
};

// Statistics of the cores of a kind, over [reset_stats, now].
struct CpuStats {
  std::uint64_t cores = 0;   // 0: there are none, or they are not measured
  Duration busy;             // summed over all cores
  Duration queued;           // from requesting a core to having one
  std::uint64_t starts = 0;  // the number of waits in that sum
};

// Conservation: posted = executed + failed + in_flight at any time.
struct VerbCensus {
  std::uint64_t posted = 0;
  std::uint64_t executed = 0;
  std::uint64_t failed = 0;
  std::uint64_t in_flight = 0;
};

// Messages that have arrived at endpoints of live actors and were not received. Each has a RECV.
struct Unreceived {
  std::uint64_t messages = 0;
  std::uint64_t full = 0;  // endpoints that have no RECV left

  void count(std::size_t queued, std::uint32_t free_recvs) {
    messages += queued;
    if (free_recvs == 0) ++full;
  }
};

class CallHandler {
 public:
  virtual ~CallHandler() = default;
  virtual Task<void> serve(Verbs& verbs, PendingCall pending) = 0;
};

// Where actors run. A run may be spread over processes, each with a backend that hosts some of the
// nodes, and over threads within a process. Every backend is made from the plan of the whole world.
class Hosting {
 public:
  virtual ~Hosting() = default;
  virtual const Capabilities& capabilities() const = 0;
  // True if this node's memory is in this process, and its actors are to be added here.
  virtual bool hosts(NodeId /*node*/) const { return true; }
  // The number of workers (threads) that resume coroutines here, at least one, and the one that
  // resumes a client's coroutine. Worker 0 resumes actors of nodes and servers.
  virtual std::uint32_t workers() const { return 1; }
  virtual std::uint32_t worker_of(ClientId /*client*/) const { return 0; }
  // An actor's endpoints are numbered within its thread of its node, from 1, in the order in which
  // they are opened. Thread and address are the same in every process, for all nodes.
  virtual std::uint32_t thread_of(ActorKind /*kind*/, NodeId /*node*/, ClientId /*client*/) const {
    return 0;
  }
  virtual EndpointAddr endpoint_address(NodeId node, std::uint32_t /*thread*/,
                                        std::uint32_t place) const {
    return {node, place};
  }

  // `client` counts from 0 over the run for clients; ignored for nodes and servers.
  virtual Verbs& add_actor(ActorKind kind, NodeId node, ClientId client) = 0;
  // Starts the actor's coroutine at `start`, a true date. A run can be finished or stuck although
  // background coroutines of nodes and servers still run.
  virtual void spawn(Verbs& actor, Task<void> root, Time start) = 0;
  // Sets the handler of calls to the node of this server actor.
  virtual void serve_calls(Verbs& server, CallHandler& handler) = 0;
  // `announce` is called shortly before a client's coroutine is resumed, so that it can prefetch
  // data about that client into the cache. It must have no effect, and may never be called.
  virtual void announce_clients(std::function<void(ClientId)> /*announce*/) {}
};

class Running {
 public:
  virtual ~Running() = default;
  virtual RunEnd run_until(Time date) = 0;
  virtual void request_stop() = 0;
  virtual Time true_now() const = 0;
  // Runs `action` at a true date, before any other event of that date.
  virtual void at(Time date, std::function<void()> action) = 0;
  // The same on the thread of one worker, while no coroutine of that worker runs; at() uses worker
  // 0. Both are called before the run, or by the worker itself.
  virtual void at_worker(std::uint32_t /*worker*/, Time date, std::function<void()> action) {
    at(date, std::move(action));
  }
};

// Faults of nodes and links.
class HardwareFaults {
 public:
  virtual ~HardwareFaults() = default;
  // Crashes a node, with all its actors and its memory.
  virtual void crash_node(NodeId node) = 0;
  // Crashes a node that hosts no clients. It is back after `outage` with its initial memory; then
  // `back` is called, which starts its parts. `life_of` shows the crash, and operations under way
  // to the node fail, when the crash is noticed; at its return at the latest.
  virtual void crash_server(NodeId node, Duration outage, std::function<void()> back) = 0;
  // The link of `node`'s port, or with `other` (not kNoNode) the path between the two, goes down or
  // comes back. A link that has gone down twice is up after it has come back twice.
  virtual void set_link(NodeId node, NodeId other, bool up) = 0;
};

// Faults of CPUs and clocks, from now on. RNICs continue meanwhile.
class CpuFaults {
 public:
  virtual ~CpuFaults() = default;
  virtual void pause(ClientId client, Duration length) = 0;
  virtual void pause_node(NodeId node, Duration length) = 0;
  // The client's CPU time takes factor_ppb / 10^9 times as long.
  virtual void slow_down(ClientId client, std::int64_t factor_ppb) = 0;
  // The node's clock jumps, and runs drift_ppb too fast from then on if that is given.
  virtual void disturb_clock(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb) = 0;
};

// Faults on request. Null: this backend has none of the kind.
class Faults {
 public:
  virtual ~Faults() = default;
  virtual void crash(ClientId client, CrashKind kind) = 0;
  virtual HardwareFaults* hardware_faults() { return nullptr; }
  virtual CpuFaults* cpu_faults() { return nullptr; }
};

// Access from outside the run, which takes no simulated time and changes no statistic.
class Inspecting {
 public:
  virtual ~Inspecting() = default;
  // True if it sees every effect of the run, in order. FirstEffect and the fingerprint are
  // meaningful only then.
  virtual bool sees_all_effects() const { return true; }
  // The time that a node's clock shows now, for comparison with a Grant's validity.
  virtual Time local_now(NodeId node) const = 0;
  // The current content of memory, without a verb.
  virtual std::uint64_t peek(RemoteAddr word) = 0;
  virtual void poke(RemoteAddr word, std::uint64_t value) = 0;
  virtual RunFingerprint& fingerprint() = 0;
  virtual std::uint64_t events() const = 0;
  virtual VerbCensus census() const = 0;
  virtual Unreceived unreceived() const = 0;
  virtual void reset_stats() = 0;
  virtual NicStats busiest_server() const = 0;
  virtual CpuStats busiest_cpu() const { return {}; }  // of the busiest server part
  // The cores that clients share, summed; `queued` and `starts` stay 0.
  virtual CpuStats client_cpus() const { return {}; }
};

class Backend : public Hosting, public Running, public Faults, public Inspecting {};

}  // namespace latchlab
