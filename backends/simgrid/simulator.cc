#include "backends/simgrid/simulator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/simgrid/parts.h"
#include "core/base/check.h"
#include "core/base/prefetch.h"

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
      parts_(std::make_unique<Parts>(plan, options)) {}

Simulator::~Simulator() = default;

// ---- hosting ----

Verbs& Simulator::add_actor(ActorKind kind, NodeId node, ClientId client) {
  return parts_->add_actor(kind, node, client);
}

void Simulator::spawn(Verbs& actor, Task<void> root, Time start) {
  parts_->actors.spawn(static_cast<SimActor&>(actor), std::move(root), start);
}

void Simulator::serve_calls(Verbs& server, CallHandler& handler) {
  parts_->calls.serve(static_cast<SimActor&>(server), handler);
}

void Simulator::announce_clients(std::function<void(ClientId)> announce) {
  parts_->actors.announce_to(std::move(announce));
}

// ---- running ----

RunEnd Simulator::run_until(Time date) {
  stop_ = false;
  limit_ = date;
  parts_->platform.run(*this);
  if (stop_) return RunEnd::stopped;
  if (parts_->actors.all_ended()) return RunEnd::finished;
  if (parts_->actors.any_client() && parts_->timeline.empty()) return RunEnd::stuck;
  parts_->timeline.reach(date);
  return RunEnd::reached;
}

void Simulator::tell_effects(EffectSink* sink) {
  parts_->record.tell_effects(sink);
}

Time Simulator::true_now() const {
  return parts_->timeline.now();
}

void Simulator::at(Time date, std::function<void()> action) {
  parts_->timeline.at(date, std::move(action));
}

bool Simulator::over() const {
  return stop_ || parts_->actors.all_ended();
}

bool Simulator::has_next() {
  return !over() && !parts_->timeline.empty() && next_ps() <= limit_.ps;
}

std::int64_t Simulator::next_ps() {
  return parts_->timeline.next().time_ps;
}

bool Simulator::next_touches_flows() {
  return parts_->timeline.next().kind() == EventKind::flow;
}

void Simulator::drain(std::int64_t limit_ps, std::int64_t clock_ps) {
  Timeline& timeline = parts_->timeline;
  limit_ps = std::min(limit_ps, limit_.ps);
  const Actors& actors = parts_->actors;
  const bool many = actors.crowded();
  while (!stop_ && !actors.all_ended() && !timeline.empty()) {
    const Event& first = timeline.next();
    if (first.time_ps > limit_ps) return;
    if (first.kind() == EventKind::flow) {
      if (first.time_ps > clock_ps) return;
      limit_ps = clock_ps;
    }
    const Event event = timeline.pop();
    if (const Event* next = many ? timeline.glimpse() : nullptr) prepare_for(*next);
    handle(event);
  }
}

void Simulator::flow_done(void* who, std::int64_t date_ps) {
  parts_->bulk.flow_done(*static_cast<SimOperation*>(who), Time{date_ps});
}

void Simulator::handle(const Event& event) {
  Parts& parts = *parts_;
  auto* op = static_cast<SimOperation*>(event.subject);
  switch (event.kind()) {
    case EventKind::action:
      return (*static_cast<std::function<void()>*>(event.subject))();
    case EventKind::spawn:
      return parts.cpus.begin(*static_cast<SimActor*>(event.subject));
    case EventKind::arrive:
      return parts.responder.arrive(*op);
    case EventKind::served:
      return parts.responder.served(*op);
    case EventKind::slot_done:
      return parts.responder.slot_done(*op);
    case EventKind::complete:
      if (op->kind == OpKind::verb) return parts.requester.completed(*op);
      return op->kind == OpKind::send ? parts.messages.completed(*op) : parts.calls.completed(*op);
    case EventKind::timer:
      return parts.waits.timer(*static_cast<SimWait*>(event.subject));
    case EventKind::woken:
      return parts.waits.woken(*static_cast<SimWait*>(event.subject));
    case EventKind::local:
      return parts.cpus.local_done(*op);
    case EventKind::wake_up:
      return parts.waits.wake_up(*static_cast<SimSleep*>(event.subject));
    case EventKind::retry:
      return parts.messages.transmit(*op);
    case EventKind::send_ready:
      return parts.messages.initiator_ready(*static_cast<SimActor*>(event.subject));
    case EventKind::bulk:
    case EventKind::flow:
      return parts.bulk.begin_or_stop(*op);
    case EventKind::port_done:
      return parts.bulk.port_done(*static_cast<SharedPort*>(event.subject));
    case EventKind::bulk_done:
      return parts.bulk.done(*op);
    case EventKind::resend:
      return parts.resending.resend(*static_cast<Qp*>(event.subject));
    case EventKind::send_again:
      return parts.resending.send_again(*op);
    case EventKind::deadline:
      return parts.calls.deadline(*static_cast<CallTimer*>(event.subject));
    case EventKind::landed:
      return parts.messages.landed(*static_cast<Landing*>(event.subject));
    case EventKind::core:
      return parts.cpus.run(*static_cast<Core*>(event.subject));
  }
}

// Prefetches what the next event will touch while this one is handled.
void Simulator::prepare_for(const Event& next) {
  const Actors& actors = parts_->actors;
  const auto kind = next.kind();
  if (kind == EventKind::complete || kind == EventKind::local) {
    const auto* op = static_cast<const SimOperation*>(next.subject);
    if (op->owner == nullptr || op->batch == nullptr) return;
    actors.prepare(owner(*op), op->batch->waiter);
    if (op->qp != nullptr) prefetch(*op->qp);
  } else if (kind == EventKind::wake_up) {
    const auto* sleep = static_cast<const SimSleep*>(next.subject);
    actors.prepare(*sleep->actor, sleep->waiter);
  } else if (kind == EventKind::woken) {
    const auto* wait = static_cast<const SimWait*>(next.subject);
    if (wait->owner != nullptr)
      actors.prepare(static_cast<const SimActor&>(*wait->owner), wait->waiter);
  } else if (kind == EventKind::arrive || kind == EventKind::served) {
    const auto* op = static_cast<const SimOperation*>(next.subject);
    if (op->qp != nullptr) prefetch(*op->qp);
    if (op->kind != OpKind::send) return;
    const Endpoint* const endpoint = parts_->messages.find(op->target);
    if (endpoint != nullptr) prefetch(*endpoint->owner);
  }
}

// ---- faults ----

void Simulator::set_link(NodeId a, NodeId b, bool up) {
  LATCHLAB_CHECK(parts_->nodes.exists(a) && (b == kNoNode || parts_->nodes.exists(b)) && a != b,
                 "a link of nodes that do not exist");
  parts_->record.note({0x117e, a.value, b.value, up ? 1U : 0U});
  parts_->network.set_link(a, b, up);
  if (!up) parts_->bulk.stop_cut();
}

void Simulator::pause(ClientId client, Duration length) {
  SimActor& victim = parts_->actors.client(client);
  parts_->record.note({0x9a05e, client.value});
  parts_->cpus.pause(victim, length);
}

void Simulator::pause_node(NodeId node, Duration length) {
  parts_->record.note({0x9a05ed, node.value});
  for (const auto& actor : parts_->actors.all())
    if (actor->node() == node) parts_->cpus.pause(*actor, length);
}

void Simulator::slow_down(ClientId client, std::int64_t factor_ppb) {
  parts_->cpus.slow_down(parts_->actors.client(client), factor_ppb);
}

// Deadlines move with the clock; sleeps that have begun last as long as before.
void Simulator::disturb_clock(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb) {
  const Duration offset = parts_->clocks.disturb(node, jump, drift_ppb);
  parts_->calls.clock_moved(node);
  parts_->record.note({0xc10c, node.value, static_cast<std::uint64_t>(offset.ps)});
  parts_->waits.clock_moved(node);
}

// ---- inspecting ----

Time Simulator::local_now(NodeId node) const {
  return parts_->clocks.shown_on(node);
}
std::uint64_t Simulator::peek(RemoteAddr word) {
  return parts_->memory.word(word);
}
void Simulator::poke(RemoteAddr word, std::uint64_t value) {
  parts_->memory.word(word) = value;
}
RunFingerprint& Simulator::fingerprint() {
  return parts_->record.fingerprint();
}
std::uint64_t Simulator::events() const {
  return parts_->timeline.events();
}
VerbCensus Simulator::census() const {
  return parts_->record.census();
}
void Simulator::reset_stats() {
  parts_->cpus.reset_stats();
  parts_->responder.reset_stats();
}
NicStats Simulator::busiest_server() const {
  return parts_->responder.busiest_server();
}
CpuStats Simulator::busiest_cpu() const {
  return parts_->cpus.busiest();
}

CpuStats Simulator::client_cpus() const {
  return parts_->cpus.of_clients();
}
std::size_t Simulator::slots_in_use() const {
  return parts_->operations.in_use() + parts_->waits.in_use();
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
