#pragma once
// Verbs around Verbs: each hands everything to an inner object and changes only what it is for.
// A wrapper stands for the same actor as what it wraps: tally, phases and random stream are shared.
// Protocols are given the outermost one; backends know only the innermost.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/verbs/verbs.h"

namespace latchlab {

class ForwardingVerbs : public Verbs {
 public:
  explicit ForwardingVerbs(Verbs* inner) : Verbs(inner), inner_(*inner) {}

  EndpointAddr open(std::uint32_t recv_depth, Transport transport) override;
  void reply(const PendingCall& pending, const Reply& reply) override;
  Task<RemoteWaitResult> await_remote(const RemoteWait& wait) override;
  Time now() const override;
  Membership membership() const override;
  ServerLife life_of(NodeId server) const override;
  Operation& take_operation() override;
  void start(Operation& first) override;
  void recycle(Operation& op) override;
  void start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) override;
  WaitOperation& take_wait() override;
  void start_wait(WaitOperation& op) override;
  void recycle_wait(WaitOperation& op) override;

 protected:
  Verbs& inner() { return inner_; }

 private:
  Verbs& inner_;
};

// ---- recording ----

// "cas", "send", "cpu_faa"; "peer_failed".
std::string_view name_of(const Operation& op);
std::string_view name_of(VerbStatus status);

// One thing that an actor did. Which operands and results count depends on `what`.
struct TraceEntry {
  Time posted;  // on the actor's own clock
  Time ended;   // == posted for what is detached and for sleeps: their end is not seen
  ActorKind kind = ActorKind::client;
  NodeId node;
  ClientId client;
  std::string_view what;  // "cas", "send", "await_remote"
  std::array<std::uint64_t, 4> operands = {};
  std::array<std::uint64_t, 2> result = {};
  VerbStatus status = VerbStatus::ok;

  // One line for people: "1250 c3 cas 1000000000040 0 7 -> ok 0 0", dates in ns, words in hex.
  std::string text() const;
};

using TraceSink = std::function<void(const TraceEntry&)>;

// Tells the sink of everything when it has ended; of detached verbs and sleeps when they begin.
// What a crashed client had under way is never told.
class RecordingVerbs final : public ForwardingVerbs {
 public:
  RecordingVerbs(Verbs* inner, TraceSink sink) : ForwardingVerbs(inner), sink_(std::move(sink)) {}

  Task<RemoteWaitResult> await_remote(const RemoteWait& wait) override;
  Operation& take_operation() override;
  void start(Operation& first) override;
  void recycle(Operation& op) override;
  void start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) override;
  WaitOperation& take_wait() override;
  void start_wait(WaitOperation& op) override;
  void recycle_wait(WaitOperation& op) override;

 private:
  TraceEntry entry(Time posted) const;
  void tell(const Operation& op, Time posted);

  // What is under way, and since when. Short: an actor does few things at once.
  template <class T>
  using UnderWay = std::vector<std::pair<const T*, Time>>;
  TraceSink sink_;
  UnderWay<Operation> operations_;
  UnderWay<WaitOperation> waits_;
};

// ---- faults ----

// Decides about each verb, message and call when it is posted: a status makes it fail with that
// status, without any effect; nothing lets it pass.
using FaultDecision = std::function<std::optional<VerbStatus>(const Operation&)>;

// Of a batch, what stands before the failing verb takes place and what stands behind is flushed.
// A detached verb that is to fail does so with access_error, whatever was decided; of detached
// messages the first one does, with peer_failed. Probes of await_remote are not asked about.
class FaultInjectingVerbs final : public ForwardingVerbs {
 public:
  FaultInjectingVerbs(Verbs* inner, FaultDecision decide)
      : ForwardingVerbs(inner), decide_(std::move(decide)) {}

  void start(Operation& first) override;

 private:
  void start_failing(Operation& first, Operation* before, Operation& failing, VerbStatus status);

  FaultDecision decide_;
};

}  // namespace latchlab
