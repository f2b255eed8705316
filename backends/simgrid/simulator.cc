#include "backends/simgrid/simulator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/simgrid/stations.h"
#include "core/base/check.h"

namespace latchlab::sim {

namespace {

void restrict_to(const NicModel& nic, Capabilities& can) {
  const auto masked = [&](Capability capability, std::int64_t bytes) {
    if (nic.masked_bytes < bytes)
      can.set(capability, Support::absent,
              nic.name + " has no masked atomics of " + std::to_string(bytes) + " bytes");
  };
  masked(Capability::masked_atomics_8, 8);
  masked(Capability::masked_atomics_16, 16);
  if (nic.slots_16 != 2) can.set(Capability::mixed_width_atomic, Support::absent);
}

}  // namespace

Simulator::Simulator(const WorldPlan& plan, const SimgridOptions& options)
    : capabilities_(simgrid_capabilities(options)),
      stations_(std::make_unique<Stations>(plan, options)) {}

Simulator::~Simulator() = default;

// ---- hosting ----

Verbs& Simulator::add_actor(ActorKind kind, NodeId node, ClientId client) {
  return stations_->add_actor(kind, node, client);
}

void Simulator::spawn(Verbs& actor, Task<void> root, Time start) {
  stations_->context.actors.spawn(static_cast<SimActor&>(actor), std::move(root), start);
}

void Simulator::serve_calls(Verbs& server, CallHandler& handler) {
  stations_->calls.serve(static_cast<SimActor&>(server), handler);
}

void Simulator::announce_clients(std::function<void(ClientId)> announce) {
  stations_->context.actors.announce_to(std::move(announce));
}

// ---- running ----

RunEnd Simulator::run_until(Time date) {
  stop_ = false;
  limit_ = date;
  stations_->platform.run(*this);
  if (stop_) return RunEnd::stopped;
  if (stations_->context.actors.all_ended()) return RunEnd::finished;
  if (stations_->context.actors.any_client() && stations_->context.timeline.empty())
    return RunEnd::stuck;
  stations_->context.timeline.reach(date);
  return RunEnd::reached;
}

void Simulator::tell_effects(EffectSink* sink) {
  stations_->context.record.tell_effects(sink);
}

Time Simulator::true_now() const {
  return stations_->context.timeline.now();
}

void Simulator::at(Time date, std::function<void()> action) {
  stations_->context.timeline.at(date, std::move(action));
}

bool Simulator::over() const {
  return stop_ || stations_->context.actors.all_ended();
}

bool Simulator::has_next() {
  return !over() && !stations_->context.timeline.empty() && next_ps() <= limit_.ps;
}

std::int64_t Simulator::next_ps() {
  return stations_->context.timeline.next().time_ps;
}

bool Simulator::next_touches_flows() {
  return stations_->context.timeline.next().gate() == Gate::flow;
}

void Simulator::drain(std::int64_t limit_ps, std::int64_t clock_ps) {
  Timeline& timeline = stations_->context.timeline;
  limit_ps = std::min(limit_ps, limit_.ps);
  const Actors& actors = stations_->context.actors;
  const bool many = actors.crowded();
  while (!stop_ && !actors.all_ended() && !timeline.empty()) {
    const Event& first = timeline.next();
    if (first.time_ps > limit_ps) break;
    if (first.gate() == Gate::flow) {
      if (first.time_ps > clock_ps) break;
      limit_ps = clock_ps;
    }
    const Event event = timeline.pop();
    if (const Event* next = many ? timeline.glimpse() : nullptr) stations_->prepare_for(*next);
    stations_->enter(event.gate(), event.subject);
  }
  LATCHLAB_CHECK(timeline.in_order(), "event order exhausted");
}

void Simulator::flow_done(void* who, std::int64_t date_ps) {
  stations_->transfer.flow_done(*static_cast<SimOperation*>(who), Time{date_ps});
}

// ---- faults ----

void Simulator::set_link(NodeId a, NodeId b, bool up) {
  LATCHLAB_CHECK(stations_->context.nodes.exists(a) &&
                     (b == kNoNode || stations_->context.nodes.exists(b)) && a != b,
                 "a link of nodes that do not exist");
  stations_->context.record.note({0x117e, a.value, b.value, up ? 1U : 0U});
  stations_->network.set_link(a, b, up);
  if (!up) stations_->transfer.stop_cut();
}

void Simulator::pause(ClientId client, Duration length) {
  SimActor& victim = stations_->context.actors.client(client);
  stations_->context.record.note({0x9a05e, client.value});
  stations_->cpus.pause(victim, length);
}

void Simulator::pause_node(NodeId node, Duration length) {
  stations_->context.record.note({0x9a05ed, node.value});
  for (const auto& actor : stations_->context.actors.all())
    if (actor->node() == node) stations_->cpus.pause(*actor, length);
}

void Simulator::slow_down(ClientId client, std::int64_t factor_ppb) {
  stations_->cpus.slow_down(stations_->context.actors.client(client), factor_ppb);
}

// Deadlines move with the clock; sleeps that have begun last as long as before.
void Simulator::disturb_clock(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb) {
  const Duration offset = stations_->context.clocks.disturb(node, jump, drift_ppb);
  stations_->calls.clock_moved(node);
  stations_->context.record.note({0xc10c, node.value, static_cast<std::uint64_t>(offset.ps)});
  stations_->waits.clock_moved(node);
}

// ---- inspecting ----

Time Simulator::local_now(NodeId node) const {
  return stations_->context.clocks.shown_on(node);
}
std::uint64_t Simulator::peek(RemoteAddr word) {
  return stations_->memory.word(word);
}
void Simulator::poke(RemoteAddr word, std::uint64_t value) {
  stations_->memory.word(word) = value;
}
RunFingerprint& Simulator::fingerprint() {
  return stations_->context.record.fingerprint();
}
std::uint64_t Simulator::events() const {
  return stations_->context.timeline.events();
}
VerbCensus Simulator::census() const {
  return stations_->context.record.census();
}
Unreceived Simulator::unreceived() const {
  return stations_->messages.unreceived();
}
void Simulator::reset_stats() {
  stations_->cpus.reset_stats();
  stations_->network.reset_stats();
  stations_->responder.reset_stats();
}
NicStats Simulator::busiest_server() const {
  return stations_->responder.busiest_server();
}
CpuStats Simulator::busiest_cpu() const {
  return stations_->cpus.busiest();
}

CpuStats Simulator::client_cpus() const {
  return stations_->cpus.of_clients();
}
std::size_t Simulator::slots_in_use() const {
  return stations_->context.operations.in_use() + stations_->waits.in_use();
}

}  // namespace latchlab::sim

namespace latchlab {

Capabilities simgrid_capabilities(const SimgridOptions& options) {
  Capabilities can;
  for (int i = 0; i < kCapabilities; ++i) can.set(static_cast<Capability>(i), Support::native);
  sim::restrict_to(options.nic, can);
  for (const NodeHardware& group : options.groups) sim::restrict_to(group.nic, can);
  can.set(Capability::atomic_with_writes, Support::absent);
  return can;
}

std::unique_ptr<Backend> make_simgrid(const WorldPlan& plan, const SimgridOptions& options) {
  return std::make_unique<sim::Simulator>(plan, options);
}

}  // namespace latchlab
