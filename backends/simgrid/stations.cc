#include "backends/simgrid/stations.h"

#include <coroutine>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/prefetch.h"

namespace latchlab::sim {

namespace {

// The hardware of each node, by NodeId - 1: its group's if groups have their own, else `usual`.
template <class Member>
auto each_nodes(const WorldPlan& plan, const SimgridOptions& options, const Member& usual,
                Member NodeHardware::*of_group) {
  std::vector<const Member*> all;
  for (const NodePlan& node : plan.nodes) {
    const bool own = !options.groups.empty() && node.group != 0;
    all.push_back(own ? &(options.groups.at(node.group - 1).*of_group) : &usual);
  }
  return all;
}

// A client's random streams depend on its number alone, so that adding other parts changes none.
std::uint64_t stream_of(ActorKind kind, NodeId node, ClientId client) {
  if (kind == ActorKind::client) return client.value;
  return (1ULL << 40) + (static_cast<std::uint64_t>(kind) << 32) + node.value;
}

// The verbs of an actor: hands each of them to a station.
class SimVerbs final : public SimActor {
 public:
  template <class... Rest>
  explicit SimVerbs(Stations& stations, Rest&&... rest)
      : SimActor(std::forward<Rest>(rest)...), stations_(stations) {}

  EndpointAddr open(std::uint32_t recv_depth, Transport transport) override {
    return stations_.messages.open(*this, recv_depth, transport);
  }
  void reply(const PendingCall& pending, const Reply& answer) override {
    stations_.calls.reply(pending, answer);
  }
  Time now() const override { return stations_.context.clocks.shown_on(node()); }
  Membership membership() const override { return stations_.waits.membership(); }
  ServerLife life_of(NodeId server) const override { return stations_.waits.life_of(server); }
  Operation& take_operation() override { return stations_.context.operations.take(); }
  void start(Operation& first) override {
    stations_.start(*this, static_cast<SimOperation&>(first));
  }
  void recycle(Operation& op) override {
    stations_.context.operations.recycle(static_cast<SimOperation&>(op));
  }
  void start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) override {
    stations_.waits.sleep(*this, sleep.length, waiter);
  }
  WaitOperation& take_wait() override { return stations_.waits.take(); }
  void start_wait(WaitOperation& op) override {
    stations_.waits.start(*this, static_cast<SimWait&>(op));
  }
  void recycle_wait(WaitOperation& op) override {
    stations_.waits.recycle(static_cast<SimWait&>(op));
  }

 private:
  Stations& stations_;
};

}  // namespace

Stations::Stations(const WorldPlan& plan, const SimgridOptions& its_options)
    : options(its_options),
      seed(plan.seed),
      context(*this, plan, each_nodes(plan, options, options.nic, &NodeHardware::nic),
              each_nodes(plan, options, options.clocks, &NodeHardware::clocks),
              options.synchronisation_error),
      platform(context.nodes.ports(), options.nic.link_bits_per_s, options.topology, options.pump),
      network(context, platform, options.client_link_latency, options.switch_queue,
              each_nodes(plan, options, options.packet_loss_ppb, &NodeHardware::packet_loss_ppb)),
      memory(context, plan),
      resending(context, network),
      transfer(context, platform, network, resending, options.bulk),
      cpus(context, memory, {options.cores, options.core_sharing}),
      requester(context, plan, memory, transfer, resending, options.qps),
      responder(context, memory, network, transfer),
      messages(context, network, resending, options.datagrams),
      calls(context, network, cpus),
      waits(context, memory, messages, cpus, plan.clients) {}

// Coroutine frames go first: what they own may give slots back.
Stations::~Stations() {
  for (const auto& actor : context.actors.all()) {
    actor->root.reset();
    calls.forget(*actor);
  }
}

SimActor& Stations::add_actor(ActorKind kind, NodeId node, ClientId client) {
  const std::uint64_t stream = stream_of(kind, node, client);
  SimActor& actor = context.actors.add(std::make_unique<SimVerbs>(
      *this, context.actors.next_index(), kind, node, client,
      Rng(seed, stream, StreamPurpose::protocol), Rng(seed, stream, StreamPurpose::jitter),
      context.nodes.model(node)));
  cpus.place(actor);
  if (kind == ActorKind::client) requester.share_qps(actor, cpus.core_of(actor));
  return actor;
}

void Stations::start(SimActor& actor, SimOperation& first) {
  const Time date = cpus.posted(actor, first.kind);
  for (Operation* at = &first; at != nullptr; at = at->next) {
    auto& op = static_cast<SimOperation&>(*at);
    op.life = actor.life;
    op.actor = actor.index;
    op.from = actor.node();
    switch (op.kind) {
      case OpKind::verb:
        context.record.count_posted();
        if (op.detached) cpus.count_detached(actor);
        requester.post(actor, op, date);
        break;
      case OpKind::send:
        context.record.count_posted();
        if (op.detached) cpus.count_detached(actor);
        messages.post(actor, op, date);
        break;
      case OpKind::call:
        context.record.count_posted();
        calls.post(op, date);
        break;
      default:
        cpus.post(actor, op);
    }
  }
}

void Stations::kill(SimActor& actor, CrashKind kind) {
  if (kind != CrashKind::client) messages.process_died(actor);
  if (!actor.alive) return;
  context.actors.die(actor);
  waits.forget(actor);
  cpus.forget(actor);
  actor.root.reset();
  calls.forget(actor);
}

// ---- the gates ----

// Every case is one call in the end, so that no case needs a stack frame.
void Stations::enter(Gate gate, void* subject) {
  auto* const op = static_cast<SimOperation*>(subject);
  switch (gate) {
    case Gate::action:
      return (*static_cast<std::function<void()>*>(subject))();

    case Gate::begin:
      return cpus.begin(*static_cast<SimActor*>(subject));
    case Gate::root:
      return context.actors.begin(*static_cast<SimActor*>(subject));
    case Gate::local:
      return cpus.local_done(*op);
    case Gate::core:
      return cpus.run(*static_cast<Core*>(subject));
    case Gate::over:
      return cpus.finish_remote(*op);
    case Gate::batch:
      return cpus.hand_over(*op);

    case Gate::arrive:
      if (network.request_waits(*op)) return;
      return network.has_failed() ? arrive_unless_lost(*op) : responder.arrive(*op);
    case Gate::served:
      return responder.served(*op);
    case Gate::slot_done:
      return responder.slot_done(*op);
    case Gate::received:
      return op->kind == OpKind::send ? messages.arrived(*op) : calls.arrived(*op);

    case Gate::complete:
      if (network.answer_waits(*op)) return;
      return network.has_failed() ? complete_unless_lost(*op) : completed(*op);
    case Gate::sendable:
      return requester.release(*static_cast<Qp*>(subject));

    case Gate::resend: {
      Qp& qp = *static_cast<Qp*>(subject);
      return qp.messages ? messages.resend(qp) : requester.resend(qp);
    }
    case Gate::send_again:
      return resending.send_again(*op);
    case Gate::transmit:
      return op->kind == OpKind::send ? messages.transmit(*op) : calls.transmit(*op);

    case Gate::bulk:
    case Gate::flow:
      return transfer.begin_or_stop(*op);
    case Gate::port_done:
      return transfer.port_done(*static_cast<SharedPort*>(subject));
    case Gate::bulk_done:
      return transfer.done(*op);

    case Gate::send_ready:
      return messages.initiator_ready(*static_cast<SimActor*>(subject));
    case Gate::landed:
      return messages.landed(*static_cast<Landing*>(subject));
    case Gate::call:
      return calls.handle(*op);
    case Gate::deadline:
      return calls.deadline(*static_cast<CallTimer*>(subject));

    case Gate::message:
      return waits.message_came(*static_cast<SimActor*>(subject));
    case Gate::changed:
      return waits.word_changed(*static_cast<Memory::Watchers*>(subject));
    case Gate::timer:
      return waits.timer(*static_cast<SimWait*>(subject));
    case Gate::woken:
      return waits.woken(*static_cast<SimWait*>(subject));
    case Gate::wait:
      return waits.end(*static_cast<SimWait*>(subject));
    case Gate::wake_up:
      return waits.wake_up(*static_cast<SimSleep*>(subject));
    case Gate::sleep:
      return waits.end(*static_cast<SimSleep*>(subject));
  }
}

void Stations::arrive_unless_lost(SimOperation& op) {
  if (!resending.request_lost(op)) responder.arrive(op);
}

void Stations::complete_unless_lost(SimOperation& op) {
  if (!resending.answer_lost(op)) completed(op);
}

void Stations::completed(SimOperation& op) {
  if (op.kind == OpKind::verb) return requester.completed(op);
  return op.kind == OpKind::send ? messages.completed(op) : calls.completed(op);
}

void Stations::prepare_for(const Event& next) {
  const Actors& actors = context.actors;
  const Gate gate = next.gate();
  if (gate == Gate::complete || gate == Gate::local) {
    const auto* op = static_cast<const SimOperation*>(next.subject);
    if (op->owner == nullptr || op->batch == nullptr) return;
    actors.prepare(owner(*op), op->batch->waiter);
    if (op->qp != nullptr) prefetch(*op->qp);
  } else if (gate == Gate::wake_up) {
    const auto* sleep = static_cast<const SimSleep*>(next.subject);
    actors.prepare(*sleep->actor, sleep->waiter);
  } else if (gate == Gate::woken) {
    const auto* wait = static_cast<const SimWait*>(next.subject);
    if (wait->owner != nullptr)
      actors.prepare(static_cast<const SimActor&>(*wait->owner), wait->waiter);
  } else if (gate == Gate::arrive || gate == Gate::served) {
    const auto* op = static_cast<const SimOperation*>(next.subject);
    if (op->qp != nullptr) prefetch(*op->qp);
    if (op->kind != OpKind::send) return;
    const Endpoint* const endpoint = messages.find(op->target);
    if (endpoint != nullptr) prefetch(*endpoint->owner);
  }
}

}  // namespace latchlab::sim
