#pragma once
// Verbs around Verbs: each wrapper forwards everything to an inner object, and overrides only what
// it is for. A wrapper is the same actor as its inner object: tally, phases and random stream are
// shared. Protocols use the outermost wrapper; backends know only the innermost object.

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

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
