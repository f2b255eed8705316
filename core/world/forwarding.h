#pragma once
// A backend that wraps another one and forwards every call. A wrapper overrides only the functions
// that it observes or changes, and need not change when the interface grows.

#include <memory>
#include <utility>

#include "core/world/backend.h"

namespace latchlab {

class ForwardingBackend : public Backend {
 public:
  explicit ForwardingBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  const Capabilities& capabilities() const override { return inner_->capabilities(); }
  bool hosts(NodeId node) const override { return inner_->hosts(node); }
  std::uint32_t workers() const override { return inner_->workers(); }
  std::uint32_t worker_of(ClientId client) const override { return inner_->worker_of(client); }
  std::uint32_t thread_of(ActorKind kind, NodeId node, ClientId client) const override {
    return inner_->thread_of(kind, node, client);
  }
  EndpointAddr endpoint_address(NodeId node, std::uint32_t thread,
                                std::uint32_t place) const override {
    return inner_->endpoint_address(node, thread, place);
  }
  bool sees_all_effects() const override { return inner_->sees_all_effects(); }
  Verbs& add_actor(ActorKind kind, NodeId node, ClientId client) override {
    return inner_->add_actor(kind, node, client);
  }
  void spawn(Verbs& actor, Task<void> root, Time start) override {
    inner_->spawn(actor, std::move(root), start);
  }
  void serve_calls(Verbs& server, CallHandler& handler) override {
    inner_->serve_calls(server, handler);
  }
  void announce_clients(std::function<void(ClientId)> announce) override {
    inner_->announce_clients(std::move(announce));
  }
  RunEnd run_until(Time date) override { return inner_->run_until(date); }
  void request_stop() override { inner_->request_stop(); }
  Time true_now() const override { return inner_->true_now(); }
  void at(Time date, std::function<void()> action) override { inner_->at(date, std::move(action)); }
  void at_worker(std::uint32_t worker, Time date, std::function<void()> action) override {
    inner_->at_worker(worker, date, std::move(action));
  }
  void crash(ClientId client, CrashKind kind) override { inner_->crash(client, kind); }
  HardwareFaults* hardware_faults() override { return inner_->hardware_faults(); }
  CpuFaults* cpu_faults() override { return inner_->cpu_faults(); }
  Time local_now(NodeId node) const override { return inner_->local_now(node); }
  std::uint64_t peek(RemoteAddr word) override { return inner_->peek(word); }
  void poke(RemoteAddr word, std::uint64_t value) override { inner_->poke(word, value); }
  RunFingerprint& fingerprint() override { return inner_->fingerprint(); }
  std::uint64_t events() const override { return inner_->events(); }
  VerbCensus census() const override { return inner_->census(); }
  Unreceived unreceived() const override { return inner_->unreceived(); }
  void reset_stats() override { inner_->reset_stats(); }
  NicStats busiest_server() const override { return inner_->busiest_server(); }
  CpuStats busiest_cpu() const override { return inner_->busiest_cpu(); }
  CpuStats client_cpus() const override { return inner_->client_cpus(); }

 protected:
  Backend& inner() { return *inner_; }

 private:
  std::unique_ptr<Backend> inner_;
};

}  // namespace latchlab
