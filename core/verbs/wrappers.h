#pragma once
// Verbs around Verbs: each wrapper forwards everything to an inner object, and overrides only what
// it is for. A wrapper is the same actor as its inner object: tally, phases and random stream are
// shared. Protocols use the outermost wrapper; backends know only the innermost object.

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

// One operation of an actor. Which operands and results are valid depends on `what`.
struct TraceEntry {
  Time posted;  // on the actor's own clock
  Time ended;   // == posted for detached operations and sleeps, whose end is not seen
  ActorKind kind = ActorKind::client;
  NodeId node;
  ClientId client;
  std::string_view what;  // "cas", "send", "await_remote"
  std::array<std::uint64_t, 4> operands = {};
  std::array<std::uint64_t, 2> result = {};
  VerbStatus status = VerbStatus::ok;

  // One line for display: "1250 c3 cas 1000000000040 0 7 -> ok 0 0", times in ns, words in hex.
  std::string text() const;
};

using TraceSink = std::function<void(const TraceEntry&)>;

// Passes every operation to the sink when it has ended; detached verbs and sleeps when they begin.
// Operations that a crashed client had in flight are not passed.
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

  // Operations in flight, and since when. Short: an actor has few operations at once.
  template <class T>
  using UnderWay = std::vector<std::pair<const T*, Time>>;
  TraceSink sink_;
  UnderWay<Operation> operations_;
  UnderWay<WaitOperation> waits_;
};

// ---- faults ----

// Decides for each verb, message and call when it is posted. A status: it fails with that status,
// without any effect; none: it passes.
using FaultDecision = std::function<std::optional<VerbStatus>(const Operation&)>;

// In a batch, verbs before the failing one are executed and verbs behind it are flushed. A detached
// verb fails with access_error, whatever the decision; of detached messages the first one fails,
// with peer_failed. Probes of await_remote are not decided about.
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
