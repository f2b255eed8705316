#pragma once
// The simulator: hands the calls of Backend to the stations of the simulated world (stations.h),
// and runs their events one after the other.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backends/simgrid/platform.h"
#include "core/world/backend.h"
#include "core/world/effects.h"

namespace latchlab {
struct SimgridOptions;
}

namespace latchlab::sim {

struct Stations;

class Simulator final : public Backend,
                        public EffectSource,
                        public HardwareFaults,
                        public CpuFaults,
                        private EventSource {
 public:
  Simulator(const WorldPlan& plan, const SimgridOptions& options);
  ~Simulator() override;

  // ---- hosting ----
  const Capabilities& capabilities() const override { return capabilities_; }
  Verbs& add_actor(ActorKind kind, NodeId node, ClientId client) override;
  void spawn(Verbs& actor, Task<void> root, Time start) override;
  void serve_calls(Verbs& server, CallHandler& handler) override;
  void announce_clients(std::function<void(ClientId)> announce) override;

  // ---- running ----
  RunEnd run_until(Time date) override;
  void request_stop() override { stop_ = true; }
  Time true_now() const override;
  void at(Time date, std::function<void()> action) override;

  // ---- faults ----
  void crash(ClientId client, CrashKind kind) override;
  void crash_node(NodeId id) override;
  void crash_server(NodeId id, Duration outage, std::function<void()> back) override;
  HardwareFaults* hardware_faults() override { return this; }
  CpuFaults* cpu_faults() override { return this; }
  void set_link(NodeId a, NodeId b, bool up) override;
  void pause(ClientId client, Duration length) override;
  void pause_node(NodeId node, Duration length) override;
  void slow_down(ClientId client, std::int64_t factor_ppb) override;
  void disturb_clock(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb) override;

  // ---- inspecting ----
  Time local_now(NodeId node) const override;
  std::uint64_t peek(RemoteAddr word) override;
  void poke(RemoteAddr word, std::uint64_t value) override;
  RunFingerprint& fingerprint() override;
  std::uint64_t events() const override;
  VerbCensus census() const override;
  Unreceived unreceived() const override;
  void reset_stats() override;
  NicStats busiest_server() const override;
  CpuStats busiest_cpu() const override;
  CpuStats client_cpus() const override;
  void tell_effects(EffectSink* sink) override;
  std::size_t slots_in_use() const;  // operations and waits whose slots have not been given back

 private:
  // ---- EventSource ----
  bool has_next() override;
  std::int64_t next_ps() override;
  std::int64_t end_ps() const override { return over() ? -1 : limit_.ps; }
  bool next_touches_flows() override;
  void drain(std::int64_t limit_ps, std::int64_t clock_ps) override;
  void flow_done(void* who, std::int64_t date_ps) override;

  bool over() const;
  void announce_deaths(std::vector<ClientId> gone);
  void kill_node(NodeId id, Time told);
  void return_server(NodeId id);

  const Capabilities capabilities_;
  const std::unique_ptr<Stations> stations_;
  Time limit_;
  bool stop_ = false;
};

}  // namespace latchlab::sim
