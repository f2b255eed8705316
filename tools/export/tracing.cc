#include "tools/export/tracing.h"

#include <fmt/core.h>

#include <coroutine>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "core/verbs/wrappers.h"
#include "core/workload/forwarding_observer.h"
#include "core/world/backend.h"
#include "core/world/effects.h"
#include "core/world/forwarding.h"
#include "tools/export/trace_recorder.h"
#include "tools/export/trace_text.h"

namespace latchlab::exporting {

// An actor's verbs, which report the begin and end of every operation to a recorder. Each probe of
// await_remote is reported as a separate verb.
class TracingVerbs final : public ForwardingVerbs {
 public:
  TracingVerbs(Verbs& bare, const Running& clock, TraceRecorder& recorder)
      : ForwardingVerbs(&bare),
        clock_(clock),
        recorder_(recorder),
        actor_(recorder.add_actor(bare.kind(), bare.node(), bare.client())) {}
  Verbs& bare() { return inner(); }
  std::size_t actor() const { return actor_; }

  EndpointAddr open(std::uint32_t recv_depth, Transport transport) override;
  Task<RemoteWaitResult> await_remote(const RemoteWait& wait) override;
  void start(Operation& first) override;
  void recycle(Operation& op) override;
  void start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) override;
  void start_wait(WaitOperation& op) override;
  void recycle_wait(WaitOperation& op) override;

 private:
  const Running& clock_;
  TraceRecorder& recorder_;
  std::size_t actor_;
};

namespace {

// Gives the lock's server part the traced verbs in place of the bare ones.
class ServeThrough final : public CallHandler {
 public:
  ServeThrough(Verbs& verbs, CallHandler& inner) : verbs_(verbs), inner_(inner) {}
  Task<void> serve(Verbs& /*bare*/, PendingCall pending) override {
    return inner_.serve(verbs_, pending);
  }

 private:
  Verbs& verbs_;
  CallHandler& inner_;
};

// The inner backend owns the actors' coroutines, which use these objects until they end.
struct Actors {
  std::vector<std::unique_ptr<TracingVerbs>> verbs;
  std::vector<std::unique_ptr<ServeThrough>> handlers;
};

class TracingBackend final : private Actors,
                             public ForwardingBackend,
                             public HardwareFaults,
                             public CpuFaults,
                             private EffectSink {
 public:
  TracingBackend(std::unique_ptr<Backend> inner, TraceRecorder& recorder)
      : ForwardingBackend(std::move(inner)), recorder_(recorder) {}

  // Called late, because the world determines the memory layout.
  void look_at(const World& world) {
    text_ = std::make_unique<EffectText>(world, *this);
    if (EffectSource* const source = effect_source(inner())) source->tell_effects(this);
  }

  Verbs& add_actor(ActorKind kind, NodeId node, ClientId client) override {
    Verbs& bare = inner().add_actor(kind, node, client);
    verbs.push_back(std::make_unique<TracingVerbs>(bare, inner(), recorder_));
    by_bare_[&bare] = verbs.back()->actor();
    return *verbs.back();
  }
  void spawn(Verbs& actor, Task<void> root, Time start) override {
    inner().spawn(bare(actor), std::move(root), start);
  }
  void serve_calls(Verbs& server, CallHandler& handler) override {
    handlers.push_back(std::make_unique<ServeThrough>(server, handler));
    inner().serve_calls(bare(server), *handlers.back());
  }
  void crash(ClientId client, CrashKind kind) override;
  HardwareFaults* hardware_faults() override {
    return inner().hardware_faults() == nullptr ? nullptr : this;
  }
  CpuFaults* cpu_faults() override { return inner().cpu_faults() == nullptr ? nullptr : this; }
  void crash_node(NodeId node) override;
  void crash_server(NodeId node, Duration outage, std::function<void()> back) override;
  void set_link(NodeId node, NodeId other, bool up) override;
  void pause(ClientId client, Duration length) override;
  void pause_node(NodeId node, Duration length) override;
  void slow_down(ClientId client, std::int64_t factor_ppb) override;
  void disturb_clock(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb) override;

 private:
  static Verbs& bare(Verbs& actor) { return static_cast<TracingVerbs&>(actor).bare(); }

  // ---- EffectSink ----
  void took_effect(const Effect& effect) override {
    const auto actor = by_bare_.find(effect.op.owner);
    if (actor != by_bare_.end()) recorder_.took_effect(true_now(), actor->second, effect, *text_);
  }
  void arrived(const Operation& op) override {
    const auto sender = by_bare_.find(op.owner);
    if (sender != by_bare_.end()) recorder_.arrived(true_now(), sender->second, op);
  }

  TraceRecorder& recorder_;
  std::unordered_map<const Verbs*, std::size_t> by_bare_;  // never iterated: no defined order
  std::unique_ptr<EffectText> text_;
};

void TracingBackend::crash(ClientId client, CrashKind kind) {
  recorder_.crashed(true_now(), client,
                    kind == CrashKind::process ? "process crash" : "client crash");
  inner().crash(client, kind);
}
void TracingBackend::crash_node(NodeId node) {
  recorder_.node_crashed(true_now(), node);
  inner().hardware_faults()->crash_node(node);
}
void TracingBackend::crash_server(NodeId node, Duration outage, std::function<void()> back) {
  recorder_.node_crashed(true_now(), node);
  inner().hardware_faults()->crash_server(node, outage, [this, node, back = std::move(back)] {
    recorder_.happened(true_now(), node, "server back", {});
    back();
  });
}
void TracingBackend::set_link(NodeId node, NodeId other, bool up) {
  Args args;
  if (other != kNoNode) args.number("to node", other.value);
  recorder_.happened(true_now(), node, up ? "link up" : "link down", args.str());
  inner().hardware_faults()->set_link(node, other, up);
}
void TracingBackend::pause(ClientId client, Duration length) {
  recorder_.happened(true_now(), client, "pause", Args().date("length_us", Time{length.ps}).str());
  inner().cpu_faults()->pause(client, length);
}
void TracingBackend::pause_node(NodeId node, Duration length) {
  recorder_.happened(true_now(), node, "pause", Args().date("length_us", Time{length.ps}).str());
  inner().cpu_faults()->pause_node(node, length);
}
void TracingBackend::slow_down(ClientId client, std::int64_t factor_ppb) {
  recorder_.happened(true_now(), client, "slow CPU", {});
  inner().cpu_faults()->slow_down(client, factor_ppb);
}
void TracingBackend::disturb_clock(NodeId node, Duration jump,
                                   std::optional<std::int64_t> drift_ppb) {
  recorder_.happened(true_now(), node, "clock disturbed", {});
  inner().cpu_faults()->disturb_clock(node, jump, drift_ppb);
}

// Reports each phase to the recorder, then forwards it to the sink that sums up phase times.
struct PhaseListener final : PhaseSink {
  const Running* clock = nullptr;
  TraceRecorder* recorder = nullptr;
  PhaseSink* next = nullptr;
  ClientId client;
  void mark(Phase phase) override {
    recorder->phase(clock->true_now(), client, phase);
    if (next != nullptr) next->mark(phase);
  }
  // Not recorded: a slice keeps the name that it began with.
  void was(Phase phase) override {
    if (next != nullptr) next->was(phase);
  }
  void recovery_begins() override {
    if (next != nullptr) next->recovery_begins();
  }
  void recovery_ends() override {
    if (next != nullptr) next->recovery_ends();
  }
};

class TracingObserver final : public ForwardingObserver {
 public:
  TracingObserver(LoopObserver& inner, const Running& clock, TraceRecorder& recorder,
                  const World& world)
      : inner_(inner),
        clock_(clock),
        recorder_(recorder),
        listeners_(world.world_shape().clients()) {
    for (std::uint32_t i = 0; i < world.world_shape().clients(); ++i) {
      if (!world.hosts(ClientId{i})) continue;
      PhaseListener& listener = listeners_[i];
      listener.clock = &clock;
      listener.recorder = &recorder;
      listener.client = ClientId{i};
      listener.next = world.verbs(ClientId{i}).measure_phases(&listener);
    }
  }

  void cycle_begins(ClientId client) override {
    recorder_.cycle_begins(now(), client);
    ForwardingObserver::cycle_begins(client);
  }
  void arrived(ClientId client, Duration ago) override {
    recorder_.happened(now(), client, "arrival", Args().date("ago_us", Time{ago.ps}).str());
    ForwardingObserver::arrived(client, ago);
  }
  void acquire_begins(ClientId client, const Want& want) override {
    recorder_.acquire_begins(now(), client, want.lock.id, want.mode);
    ForwardingObserver::acquire_begins(client, want);
  }
  void acquire_aborted(ClientId client, const Want& want, AbortReason reason) override {
    recorder_.aborted(now(), client, reason);
    ForwardingObserver::acquire_aborted(client, want, reason);
  }
  void acquired(ClientId client, const Grant& grant) override {
    recorder_.granted(now(), client, grant);
    ForwardingObserver::acquired(client, grant);
  }
  void upgrade_begins(ClientId client, const Grant& grant) override {
    happened(client, "upgrade begins", grant);
    ForwardingObserver::upgrade_begins(client, grant);
  }
  void upgraded(ClientId client, const Grant& grant) override {
    recorder_.upgraded(now(), client, grant);
    ForwardingObserver::upgraded(client, grant);
  }
  void upgrade_aborted(ClientId client, const Grant& grant, AbortReason reason) override {
    happened(client, "upgrade aborted", grant);
    ForwardingObserver::upgrade_aborted(client, grant, reason);
  }
  void extended(ClientId client, const Grant& grant) override {
    happened(client, "extended", grant);
    ForwardingObserver::extended(client, grant);
  }
  void release_begins(ClientId client, const Grant& grant) override {
    recorder_.release_begins(now(), client, grant);
    ForwardingObserver::release_begins(client, grant);
  }
  void released(ClientId client, const Grant& grant, ReleaseResult result) override {
    recorder_.released(now(), client, result);
    ForwardingObserver::released(client, grant, result);
  }
  void release_skipped(ClientId client, const Grant& grant) override {
    recorder_.release_skipped(now(), client, grant);
    ForwardingObserver::release_skipped(client, grant);
  }
  void section_cut(ClientId client) override {
    recorder_.happened(now(), client, "section cut", {});
    ForwardingObserver::section_cut(client);
  }

 private:
  LoopObserver& inner(ClientId /*client*/) override { return inner_; }
  Time now() const { return clock_.true_now(); }
  void happened(ClientId client, const char* what, const Grant& grant) {
    recorder_.happened(now(), client, what, Args().number("lock", grant.lock.id.value).str());
  }

  LoopObserver& inner_;
  const Running& clock_;
  TraceRecorder& recorder_;
  std::vector<PhaseListener> listeners_;
};

std::vector<std::string> node_names(const WorldPlan& plan) {
  std::vector<std::string> names;
  for (const NodePlan& node : plan.nodes)
    names.push_back(fmt::format("node {} ({})", node.id.value,
                                node.server && node.clients ? "server and clients"
                                : node.server               ? "server"
                                                            : "clients"));
  return names;
}

class Tracing final : public TraceHook {
 public:
  Tracing(const TraceWindow& window, TraceTaker taker)
      : window_(window), taker_(std::move(taker)) {}

  std::unique_ptr<Backend> around(std::unique_ptr<Backend> inner, const WorldPlan& plan) override {
    clock_ = inner.get();
    recorder_ = std::make_unique<TraceRecorder>(window_, node_names(plan));
    auto made = std::make_unique<TracingBackend>(std::move(inner), *recorder_);
    backend_ = made.get();
    return made;
  }
  LoopObserver& around(LoopObserver& inner, const World& world) override {
    backend_->look_at(world);
    recorder_->name_messages(message_names_of(world.protocol()));
    observer_ = std::make_unique<TracingObserver>(inner, *clock_, *recorder_, world);
    return *observer_;
  }
  void ended(Time now) override {
    recorder_->finish(now);
    taker_(*recorder_);
  }

 private:
  TraceWindow window_;
  TraceTaker taker_;
  const Running* clock_ = nullptr;
  TracingBackend* backend_ = nullptr;
  std::unique_ptr<TraceRecorder> recorder_;
  std::unique_ptr<TracingObserver> observer_;
};

}  // namespace

std::unique_ptr<TraceHook> make_tracing(const TraceWindow& window, TraceTaker taker) {
  return std::make_unique<Tracing>(window, std::move(taker));
}

EndpointAddr TracingVerbs::open(std::uint32_t recv_depth, Transport transport) {
  const EndpointAddr made = ForwardingVerbs::open(recv_depth, transport);
  recorder_.opened(actor_, made);
  return made;
}

Task<RemoteWaitResult> TracingVerbs::await_remote(const RemoteWait& wait) {
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): the base version issues each probe through us.
  return Verbs::await_remote(wait);
}

void TracingVerbs::start(Operation& first) {
  for (const Operation* op = &first; op != nullptr; op = op->next)
    recorder_.started(clock_.true_now(), actor_, *op);
  ForwardingVerbs::start(first);
}

void TracingVerbs::recycle(Operation& op) {
  recorder_.ended(clock_.true_now(), actor_, op);
  ForwardingVerbs::recycle(op);
}

void TracingVerbs::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  recorder_.sleeps(clock_.true_now(), actor_);
  ForwardingVerbs::start_sleep(sleep, waiter);
}

void TracingVerbs::start_wait(WaitOperation& op) {
  recorder_.wait_started(clock_.true_now(), actor_, op);
  ForwardingVerbs::start_wait(op);
}

void TracingVerbs::recycle_wait(WaitOperation& op) {
  recorder_.wait_ended(clock_.true_now(), actor_, op);
  ForwardingVerbs::recycle_wait(op);
}

}  // namespace latchlab::exporting
