#pragma once
// The backend: runs the actors of this process's nodes, crashes them, and reports.

#include <string>
#include <vector>

#include "backends/ibverbs/ibverbs_backend.h"
#include "backends/ibverbs/process.h"
#include "backends/ibverbs/rendezvous.h"

namespace latchlab::ib {

class Hardware final : public IbverbsBackend {
 public:
  Hardware(const WorldPlan& plan, const IbverbsOptions& options)
      : process_(plan, options), rendezvous_(process_) {}
  ~Hardware() override { end_run(process_, is_up_, rendezvous_.began_together()); }
  Status set_up();

  const Capabilities& capabilities() const override { return capabilities_; }
  bool hosts(NodeId node) const override { return process_.nodes.count(node) > 0; }
  std::uint32_t workers() const override {
    return static_cast<std::uint32_t>(process_.workers.size());
  }
  std::uint32_t worker_of(ClientId client) const override {
    return client.value % process_.options.workers;
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
  void request_stop() override { process_.stop.store(true, std::memory_order_relaxed); }
  Time true_now() const override { return process_.workers[0]->now(); }
  void at(Time date, std::function<void()> action) override;
  void at_worker(std::uint32_t worker, Time date, std::function<void()> action) override;
  void crash(ClientId client, CrashKind kind) override;
  Time local_now(NodeId) const override { return true_now(); }
  std::uint64_t peek(RemoteAddr word) override { return memory_of(word.node).peek(word.offset); }
  void poke(RemoteAddr word, std::uint64_t value) override {
    memory_of(word.node).poke(word.offset, value);
  }
  // Unused, because no two runs on hardware are equal. Each thread has one of its own.
  RunFingerprint& fingerprint() override;
  std::uint64_t events() const override;
  VerbCensus census() const override;
  Unreceived unreceived() const override;
  void reset_stats() override;
  NicStats busiest_server() const override { return {}; }
  Status start_together() override { return rendezvous_.start_together(); }
  void node_lost(NodeId node, const std::vector<ClientId>& clients) override;
  SetUpCost set_up_cost(NodeId node) const override;
  std::vector<WorkerReport> worker_reports() const override;
  Duration clock_error() const override { return nanoseconds(rendezvous_.clock().error_ns); }

 private:
  Memory& memory_of(NodeId node);
  void crash_node(NodeId node);
  void tell_membership(const std::vector<ClientId>& gone);
  void run_chores();

  Process process_;
  Rendezvous rendezvous_;
  Capabilities capabilities_;
  bool has_chores_ = false;  // run_chores() is in the first worker's timers
  bool is_up_ = false;       // set_up() is complete
};

}  // namespace latchlab::ib
