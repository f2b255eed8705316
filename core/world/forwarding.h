#pragma once
// A backend around a backend: hands everything on. Who wants to hear or change something overrides
// that, and nothing is forgotten when the interface grows.

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
  std::uint32_t lane_of(ActorKind kind, NodeId node, ClientId client) const override {
    return inner_->lane_of(kind, node, client);
  }
  EndpointAddr endpoint_address(NodeId node, std::uint32_t lane,
                                std::uint32_t place) const override {
    return inner_->endpoint_address(node, lane, place);
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
  bool has_hardware_faults() const override { return inner_->has_hardware_faults(); }
  void crash_node(NodeId node) override { inner_->crash_node(node); }
  void set_link(NodeId node, NodeId other, bool up) override { inner_->set_link(node, other, up); }
  bool has_cpu_faults() const override { return inner_->has_cpu_faults(); }
  void pause(ClientId client, Duration length) override { inner_->pause(client, length); }
  void pause_node(NodeId node, Duration length) override { inner_->pause_node(node, length); }
  void slow_down(ClientId client, std::int64_t factor_ppb) override {
    inner_->slow_down(client, factor_ppb);
  }
  void disturb_clock(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb) override {
    inner_->disturb_clock(node, jump, drift_ppb);
  }
  Time local_now(NodeId node) const override { return inner_->local_now(node); }
  std::uint64_t peek(RemoteAddr word) override { return inner_->peek(word); }
  void poke(RemoteAddr word, std::uint64_t value) override { inner_->poke(word, value); }
  Fingerprint& fingerprint() override { return inner_->fingerprint(); }
  std::uint64_t events() const override { return inner_->events(); }
  VerbCensus census() const override { return inner_->census(); }
  void reset_stats() override { inner_->reset_stats(); }
  NicStats busiest_server() const override { return inner_->busiest_server(); }
  CpuStats busiest_cpu() const override { return inner_->busiest_cpu(); }

 protected:
  Backend& inner() { return *inner_; }

 private:
  std::unique_ptr<Backend> inner_;
};

}  // namespace latchlab
