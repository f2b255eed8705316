#pragma once
// Real RNICs, through libibverbs: RC QPs of each client's own for verbs, frames between threads for
// messages, calls and services, and a node's memory either the RNIC's or an agent's. One process
// may host all nodes of a plan, each with an address of its own (tests do), or one.
//
// Not here: clocks that drift as told, topologies, failing links. Time is the machine's.

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
class Kept;
}
using ib::PathOptions;

struct IbverbsOptions {
  std::vector<NodeId> hosted;          // in this process; empty: all of the plan
  std::string device;                  // "mlx5_0"; empty: the first whose port is up
  std::vector<std::string> addresses;  // of the hosted nodes, in turn; empty: what the device has
  PathOptions path;
  std::uint32_t port = 0;        // of the device; 0: the first that is up
  std::optional<int> gid_index;  // of the hosted nodes; excludes `addresses`
  std::uint32_t workers = 1;     // threads of clients; the same in every process of a run
  // Threads of a server that take calls; the same in every process. Code of a server part runs on
  // one of them at a time, but for what it computes.
  std::uint32_t server_workers = 1;
  // Every node's memory is its agent's: for locks that need atomics which some RNIC has not.
  bool agents = false;
  // Verbs go by the DC transport of mlx5 (backends/ibverbs/dc.h), where they are not an agent's:
  // the same in every process. A thread has as many initiators as connections are busy at once, up
  // to `dcis`.
  bool dc = false;
  std::uint32_t dcis = 64;
  // Of offsets that the plan puts into the RNIC's memory, the first that is ever used: what is
  // below stays in the host's. A multiple of 64.
  std::uint64_t device_from = 0;
  // Of frames between threads, before a receiver that is not ready is an error; 7: for ever. They
  // never find one, which 0 shows.
  std::uint8_t frame_rnr_retries = 7;
  // Each worker, and each agent, to a core of its own, close to the device where there are enough;
  // where there are too few, none. Before anything is allocated, which then lies close to it, too.
  bool pin = false;
  Duration detection_delay = milliseconds(10);  // crash to change of membership, in one process
  // Of CLOCK_MONOTONIC between threads; between machines there is no synchronised clock.
  Duration synchronisation_error = microseconds(1);
  // Gives `each[i]` to the node i + 1, of every node of the plan, and returns what each has given
  // to this one, in the order of the nodes; null: all nodes are here. Called to share cores
  // (if `pin`), to connect, when a run begins, and when it is over and nobody needs the memory of
  // another any more.
  std::function<Result<std::vector<std::string>>(const std::vector<std::string>& each)> exchange;
  // What this process's last world has left of its nodes, and where the next one leaves them
  // (kept.h). It outlives the worlds, which have it one after the other. Null: each makes all anew.
  std::shared_ptr<ib::Kept> kept;
  // Called about once a millisecond while a run is on, by the thread that called run_until.
  std::function<void()> look_around;
};

// What a node that is here has of the device by now, and what it was told to come to be.
struct SetUpCost {
  std::uint64_t qps = 0;
  std::uint64_t qps_made = 0;    // since the device was opened, in this world or an earlier one
  std::uint64_t doorbells = 0;   // registers that QPs ring; 0: the driver does not say
  std::uint64_t card_bytes = 0;  // given to others, and by them, before the run
};

// What a thread did with its time since reset_stats().
struct WorkerReport {
  Duration watched, busy, longest_turn;  // as TurnBooks has it
  Time began;                            // when it first looked for work; 0: the agreed start
};

class IbverbsBackend : public Backend {
 public:
  // By worker; after the run.
  virtual std::vector<WorkerReport> worker_reports() const = 0;
  // How far this process's clock may be off against that of the run's first node. 0: they share it.
  virtual Duration clock_error() const = 0;
  // Waits until all processes of the run are about to begin; time starts now.
  virtual Status start_together() = 0;
  // The process of `node` is gone: its clients are dead, and nobody waits for its answers.
  virtual void node_lost(NodeId node, const std::vector<ClientId>& clients) = 0;
  virtual SetUpCost set_up_cost(NodeId node) const = 0;
};

Result<std::unique_ptr<IbverbsBackend>> make_ibverbs(const WorldPlan& plan,
                                                     const IbverbsOptions& options);

// Of the device that this choice takes on this machine: opens it and tries them. An error: it lacks
// what every run needs (queue_trial.h).
Result<NativeAtomics> native_atomics(const ib::DeviceChoice& choice);
// What a run on this backend has, where all devices have these.
Capabilities ibverbs_capabilities(const NativeAtomics& native, bool agents, bool one_machine,
                                  bool dc = false);
// Whether something of this is there with agents alone.
bool needs_agents(const std::vector<Capability>& needs, const NativeAtomics& native);

}  // namespace latchlab
