#pragma once
// The backend: makes nodes and threads, connects them, and runs them.

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/ibverbs/actor_host.h"
#include "backends/ibverbs/ibverbs_backend.h"
#include "backends/ibverbs/worker.h"

namespace latchlab::ib {

class Hardware final : public IbverbsBackend {
 public:
  Hardware(const WorldPlan& plan, const IbverbsOptions& options);
  ~Hardware() override;
  Status set_up();

  const Capabilities& capabilities() const override { return capabilities_; }
  bool hosts(NodeId node) const override { return nodes_.count(node) > 0; }
  std::uint32_t workers() const override { return static_cast<std::uint32_t>(workers_.size()); }
  std::uint32_t worker_of(ClientId client) const override {
    return client.value % options_.workers;
  }
  // Node and server parts run on worker 0.
  std::uint32_t thread_of(ActorKind kind, NodeId /*node*/, ClientId client) const override {
    return kind == ActorKind::client ? worker_of(client) : 0;
  }
  EndpointAddr endpoint_address(NodeId node, std::uint32_t thread,
                                std::uint32_t place) const override {
    return ib::endpoint_address({node, static_cast<std::uint8_t>(thread)}, place);
  }
  bool sees_all_effects() const override { return false; }
  Verbs& add_actor(ActorKind kind, NodeId node, ClientId client) override;
  void spawn(Verbs& actor, Task<void> root, Time start) override;
  void serve_calls(Verbs& server, CallHandler& handler) override;
  RunEnd run_until(Time date) override;
  void request_stop() override { stop_.store(true, std::memory_order_relaxed); }
  Time true_now() const override { return workers_[0]->now(); }
  void at(Time date, std::function<void()> action) override;
  void at_worker(std::uint32_t worker, Time date, std::function<void()> action) override;
  void crash(ClientId client, CrashKind kind) override;
  Time local_now(NodeId) const override { return true_now(); }
  std::uint64_t peek(RemoteAddr word) override;
  void poke(RemoteAddr word, std::uint64_t value) override;
  // Unused, because no two runs on hardware are equal. Each thread has one of its own.
  RunFingerprint& fingerprint() override;
  std::uint64_t events() const override;
  VerbCensus census() const override;
  void reset_stats() override;
  NicStats busiest_server() const override { return {}; }
  Status start_together() override;
  void node_lost(NodeId node, const std::vector<ClientId>& clients) override;
  SetUpCost set_up_cost(NodeId node) const override;
  std::vector<WorkerReport> worker_reports() const override;
  Duration clock_error() const override { return nanoseconds(clock_.error_ns); }

 private:
  // hardware_machine.cc: cores and clocks.
  Status take_cores();
  void compare_clocks();  // each node here asks the first node for its clock
  Status wait_for_clock();
  std::vector<int> core_of_worker(std::size_t worker) const;
  std::vector<int> cores_of_memory_server(
      std::size_t place) const;  // of the memory server of a node here
  Status make_node(NodeId id);
  Status open_device(LocalNode& node) const;
  Status make_threads(LocalNode& node);
  // The number of a node's threads without that of its memory server.
  std::uint32_t threads_of(NodeId node) const;
  Status connect();
  Status check_dc() const;
  Status connect_clients();
  NativeAtomics atomics_of_all();
  // The node's descriptor for each node of the run, the node itself included.
  std::vector<std::string> descriptors_of(const LocalNode& node) const;
  Status read_descriptors(LocalNode& node, const std::vector<std::string>& descriptors);
  Result<std::vector<std::string>> tell_all(const std::string& text) const;
  ThreadId memory_server_of(NodeId node) const;
  bool is_one_machine() const;
  LocalNode* find(NodeId node);
  // hardware_kept.cc: what a run leaves to the next.
  std::string made_for(NodeId node) const;
  static bool drained(const LocalNode& node);
  std::vector<std::string> confirm_drained(LocalNode& node);
  void keep(NodeId node, std::unique_ptr<NodeParts> parts);
  IbActor& client(ClientId client) const;
  void crash_node(NodeId node);
  void tell_membership(const std::vector<ClientId>& gone);
  void run_chores();

  WorldPlan plan_;
  IbverbsOptions options_;
  Capabilities capabilities_;
  Directory directory_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<NodeId, std::unique_ptr<LocalNode>> nodes_;
  std::map<ClientId, IbActor*> clients_;
  std::vector<int> cores_;   // of the workers, then of agents; empty: no core is reserved
  std::vector<int> others_;  // cores that no worker on this machine has
  std::vector<int> before_;  // of the thread that made this; empty: unchanged
  ClockOffset clock_;        // of the first node's clock relative to ours
  std::atomic<std::uint32_t> live_clients_ = 0;
  std::atomic<bool> stop_ = false;
  bool chores_ = false;    // run_chores() is in the first worker's timers
  bool up_ = false;        // set_up() is complete
  bool together_ = false;  // the run has begun on all nodes, which end it together
};

}  // namespace latchlab::ib
