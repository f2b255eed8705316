#pragma once
// Real RNICs, through libibverbs: RC QPs of each client for verbs, frames between threads for
// messages, calls and services. Verbs on a node's memory are executed by its RNIC or by a
// software-atomics proxy. One process may host all nodes of a plan, each with its own address
// (tests do), or one node.
//
// Not supported: clocks with a given drift, topologies, failing links. Time is the machine's.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/native_atomics.h"
#include "core/base/result.h"
#include "core/world/backend.h"

namespace latchlab {

namespace ib {
class ConnectionCache;
}
using ib::PathOptions;

struct IbverbsOptions {
  std::vector<NodeId> hosted;          // by this process; empty: all of the plan
  std::string device;                  // "mlx5_0"; empty: the first whose port is up
  std::vector<std::string> addresses;  // of the hosted nodes, in turn; empty: the device's first
  PathOptions path;
  std::uint32_t port = 0;        // of the device; 0: the first that is up
  std::optional<int> gid_index;  // of the hosted nodes; excludes `addresses`
  std::uint32_t workers = 1;     // threads of clients; the same in every process of a run
  // Threads of a server that take calls; the same in every process. Code of a server part runs on
  // one of them at a time, except while it computes.
  std::uint32_t server_workers = 1;
  // A software-atomics proxy executes all verbs on a node's memory: for locks that need atomics
  // which some RNIC lacks.
  bool software_atomics = false;
  // Verbs use the DC transport of mlx5 (backends/ibverbs/dc.h), unless proxies execute them; the
  // same in every process. A thread has as many initiators as it has connections busy at once, up
  // to `dcis`.
  bool dc = false;
  std::uint32_t dcis = 64;
  // The first offset that the plan puts into the RNIC's memory; offsets below it stay in host
  // memory. A multiple of 64.
  std::uint64_t device_from = 0;
  // RNR retries of frames between threads; 7: no limit. Credits make sure that a frame always finds
  // a RECV, which a run with 0 shows.
  std::uint8_t frame_rnr_retries = 7;
  // Threads of clients and of server parts learn of completions by event: one that has nothing to
  // do sleeps until one comes, for a millisecond at most. While an actor waits for a word of its
  // memory, which raises none, or for a date that is near, its thread polls.
  bool by_event = false;
  // Gives each worker and each proxy a core of its own, preferably close to the device; if there
  // are too few cores, none gets one. Done before memory is allocated, so that it is close to the
  // core too.
  bool pin = false;
  // From a crash to the change of membership, in one process.
  Duration detection_delay = milliseconds(10);
  // The error of CLOCK_MONOTONIC between threads; there is no synchronised clock between machines.
  Duration synchronisation_error = microseconds(1);
  // Sends `each[i]` to node i + 1, for every node of the plan, and returns what every node has sent
  // to this one, in the order of the nodes; null: this process hosts all nodes. Called to share
  // cores (if `pin`), to connect, when a run begins, and after it, when no node needs another
  // node's memory any more.
  std::function<Result<std::vector<std::string>>(const std::vector<std::string>& each)> exchange;
  // What this process has kept of its nodes from its last run, for the next one
  // (connection_cache.h). Outlives the backends that use it, one at a time. Null: each run makes
  // everything anew.
  std::shared_ptr<ib::ConnectionCache> connection_cache;
  // Called about once per millisecond during a run, by the thread that called run_until.
  std::function<void()> look_around;
};

// What a node of this process uses of the device so far, and the size of its descriptors.
struct SetUpCost {
  std::uint64_t qps = 0;
  std::uint64_t qps_made = 0;   // since the device was opened, in this run or an earlier one
  std::uint64_t doorbells = 0;  // registers that QPs ring; 0: the driver does not report them
  std::uint64_t descriptor_bytes = 0;  // sent to other nodes and received from them before the run
};

// How a thread spent its time since reset_stats().
struct WorkerReport {
  Duration watched, busy, asleep, longest_turn;  // see `PollTimeStats`
  Time began;                                    // when it first polled; 0: the agreed start
};

class IbverbsBackend : public Backend {
 public:
  // By worker; after the run.
  virtual std::vector<WorkerReport> worker_reports() const = 0;
  // The error bound of this process's clock against that of the run's first node. 0: they share it.
  virtual Duration clock_error() const = 0;
  // Waits until all processes of the run are ready; time starts now.
  virtual Status start_together() = 0;
  // The process of `node` is gone: its clients are dead, and requests to it fail.
  virtual void node_lost(NodeId node, const std::vector<ClientId>& clients) = 0;
  virtual SetUpCost set_up_cost(NodeId node) const = 0;
};

Result<std::unique_ptr<IbverbsBackend>> make_ibverbs(const WorldPlan& plan,
                                                     const IbverbsOptions& options);

// Opens the device that `choice` selects on this machine and tries its atomics. The error: it lacks
// queues that every run needs (try_queues).
Result<NativeAtomics> native_atomics(const ib::DeviceChoice& choice);
// The capabilities of a run on this backend if all devices have `native`.
Capabilities ibverbs_capabilities(const NativeAtomics& native, bool software_atomics,
                                  bool one_machine, bool dc = false);
// Whether any of `needs` is available only with software-atomics proxies.
bool needs_software_atomics(const std::vector<Capability>& needs, const NativeAtomics& native);

}  // namespace latchlab
