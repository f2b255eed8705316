#include "backends/simgrid/simulator.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab::sim {

// ---- actors: hand everything to the simulator ----

EndpointAddr SimActor::open(std::uint32_t recv_depth, Transport transport) {
  return simulator_.open_endpoint(*this, recv_depth, transport);
}
void SimActor::reply(const PendingCall& pending, const Reply& answer) {
  simulator_.reply(pending, answer);
}
Time SimActor::now() const {
  return simulator_.local_now(node());
}
Membership SimActor::membership() const {
  return simulator_.membership();
}
Operation& SimActor::take_operation() {
  return simulator_.take_operation();
}
void SimActor::start(Operation& first) {
  simulator_.start(*this, static_cast<SimOperation&>(first));
}
void SimActor::recycle(Operation& op) {
  simulator_.recycle(static_cast<SimOperation&>(op));
}
void SimActor::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  simulator_.start_sleep(*this, sleep.length, waiter);
}
WaitOperation& SimActor::take_wait() {
  return simulator_.take_wait();
}
void SimActor::start_wait(WaitOperation& op) {
  simulator_.start_wait(*this, static_cast<SimWait&>(op));
}
void SimActor::recycle_wait(WaitOperation& op) {
  simulator_.recycle_wait(static_cast<SimWait&>(op));
}

// ---- construction ----

SimState::SimState(const WorldPlan& plan, const SimgridOptions& options)
    : options_(options),
      capabilities_(simulated_capabilities(options)),
      seed_(plan.seed),
      alive_(plan.clients, true),
      jitter_(plan.seed, 0, StreamPurpose::jitter),
      datagrams_(plan.seed, 1, StreamPurpose::jitter),
      services_(plan.seed, 0, StreamPurpose::clocks) {}

Simulator::Simulator(const WorldPlan& plan, const SimgridOptions& options)
    : SimState(plan, options) {
  clients_.resize(plan.clients, nullptr);
  nodes_.resize(plan.nodes.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& made = nodes_[i];
    made.id = plan.nodes[i].id;
    made.hosts_locks = plan.nodes[i].server;
    made.hosts_clients = plan.nodes[i].clients;
    SparseMemory::Fill fill;
    if (plan.image)
      fill = [image = plan.image, id = made.id](
                 std::uint64_t offset, std::span<std::uint64_t> page) { image(id, offset, page); };
    made.memory = SparseMemory(plan.nodes[i].bytes, std::move(fill));
    const std::uint32_t group = plan.nodes[i].group;
    const bool usual = options_.groups.empty() || group == 0;
    set_up_nic(made, plan.nodes[i], usual ? options_.nic : options_.groups.at(group - 1).nic);
    set_up_clock(made, usual ? options_.clocks : options_.groups.at(group - 1).clocks);
  }
  std::vector<Port> ports;
  for (const Node& made : nodes_) ports.push_back(port_of(made.nic->host, *made.nic->model));
  platform_ = std::make_unique<Platform>(std::move(ports), options.nic.link_bits_per_s,
                                         options.topology, options.pump);
}

// Frames go first: what they own may give slots back.
Simulator::~Simulator() {
  for (const auto& actor : actors_) {
    actor->root.reset();
    actor->serving.reset();
  }
}

Verbs& Simulator::add_actor(ActorKind kind, NodeId node_id, ClientId client) {
  const auto index = static_cast<std::uint32_t>(actors_.size() + 1);
  // A client's stream depends on its number alone, so that other parts can come and go.
  const std::uint64_t stream =
      kind == ActorKind::client
          ? client.value
          : (1ULL << 40) + (static_cast<std::uint64_t>(kind) << 32) + node_id.value;
  actors_.push_back(std::make_unique<SimActor>(*this, index, kind, node_id, client,
                                               Rng(seed_, stream, StreamPurpose::protocol),
                                               nic_of(node_id)));
  SimActor& actor = *actors_.back();
  place_on_core(actor);
  if (kind == ActorKind::client) {
    clients_[client.value] = &actor;
    share_qps(actor);
  }
  return actor;
}

void Simulator::spawn(Verbs& verbs, Task<void> root, Time start_date) {
  auto& actor = static_cast<SimActor&>(verbs);
  LATCHLAB_CHECK(!actor.root.valid(), "an actor runs one root coroutine");
  actor.root = std::move(root);
  if (actor.kind() == ActorKind::client) {
    ++live_clients_;
    any_client_ = true;
  }
  push(start_date, actor.index, EventKind::spawn, &actor);
}

void Simulator::serve_calls(Verbs& server, CallHandler& handler) {
  auto& actor = static_cast<SimActor&>(server);
  actor.serving = std::make_unique<Serving>();
  actor.serving->handler = &handler;
  node(actor.node()).server = &actor;
}

// ---- the run ----

void Simulator::push(Time date, std::uint32_t actor, EventKind kind, void* subject) {
  queue_.push(date.ps, actor, kind, subject);
}

bool Simulator::has_next() {
  return !over() && !queue_.empty() && next_ps() <= limit_.ps;
}

void Simulator::drain(std::int64_t limit_ps, std::int64_t clock_ps) {
  limit_ps = std::min(limit_ps, limit_.ps);
  const bool many = crowded();
  while (!over() && !queue_.empty()) {
    const Event& first = queue_.next();
    if (first.time_ps > limit_ps) return;
    if (first.kind() == EventKind::flow) {
      if (first.time_ps > clock_ps) return;
      limit_ps = clock_ps;
    }
    const Event event = queue_.pop();
    if (const Event* next = many ? queue_.glimpse() : nullptr) prepare_for(*next);
    now_ = Time{event.time_ps};
    ++events_;
    handle(event);
  }
}

RunEnd Simulator::run_until(Time date) {
  stop_ = false;
  limit_ = date;
  platform_->run(*this);
  if (stop_) return RunEnd::stopped;
  if (any_client_ && live_clients_ == 0) return RunEnd::finished;
  if (any_client_ && queue_.empty()) return RunEnd::stuck;
  now_ = date;
  return RunEnd::reached;
}

void Simulator::at(Time date, std::function<void()> action) {
  actions_.push_back(std::move(action));
  push(date, 0, EventKind::action, &actions_.back());
}

void Simulator::handle(const Event& event) {
  auto* op = static_cast<SimOperation*>(event.subject);
  switch (event.kind()) {
    case EventKind::action:
      return (*static_cast<std::function<void()>*>(event.subject))();
    case EventKind::spawn:
      return begin(*static_cast<SimActor*>(event.subject));
    case EventKind::arrive:
      if (op->kind == OpKind::verb) return arrive(*op);
      return message_arrives(*op);
    case EventKind::served:
      return served(*op);
    case EventKind::slot_done:
      return slot_done(*op);
    case EventKind::complete:
      return op->kind == OpKind::verb ? complete_verb(*op) : send_complete(*op);
    case EventKind::timer:
      return timer(*static_cast<SimWait*>(event.subject));
    case EventKind::woken:
      return woken(*static_cast<SimWait*>(event.subject));
    case EventKind::local:
      return local_done(*op);
    case EventKind::wake_up:
      return wake_up(*static_cast<SimSleep*>(event.subject));
    case EventKind::retry:
      return transmit(*op, now_);
    case EventKind::send_ready: {
      auto& actor = *static_cast<SimActor*>(event.subject);
      actor.initiator.busy = false;
      return pump_sends(actor);
    }
    case EventKind::bulk:
    case EventKind::flow:
      return bulk_event(*op);
    case EventKind::port_done:
      return port_done(*static_cast<SharedPort*>(event.subject));
    case EventKind::bulk_done:
      return bulk_done(*op);
    case EventKind::resend:
      return resend(*static_cast<Qp*>(event.subject));
    case EventKind::send_again:
      return send_again(*op);
    case EventKind::deadline:
      return call_deadline(*static_cast<CallTimer*>(event.subject));
    case EventKind::core:
      return run_core(*static_cast<Core*>(event.subject));
  }
}

void Simulator::begin(SimActor& actor) {
  if (actor.core != nullptr) return queue_for_core({&actor, nullptr, nullptr, nullptr, now_, {}});
  start_root(actor);
}

void Simulator::start_root(SimActor& actor) {
  if (!actor.alive) return;
  context_.client = actor.client().value;
  context_.time_ps = now_.ps;
  actor.root.start();
  if (actor.root.done() && actor.kind() == ActorKind::client) --live_clients_;
}

void Simulator::resume(SimActor& actor, std::coroutine_handle<> handle) {
  context_.client = actor.client().value;
  context_.time_ps = now_.ps;
  const bool was_done = actor.root.done();
  handle.resume();
  if (!was_done && actor.root.done() && actor.kind() == ActorKind::client) --live_clients_;
}

}  // namespace latchlab::sim
