#pragma once
// An actor's verbs, which report the begin and end of every operation to a recorder. Each probe of
// await_remote is reported as a separate verb.

#include <coroutine>
#include <cstddef>

#include "core/verbs/wrappers.h"
#include "core/world/backend.h"
#include "tools/export/trace_recorder.h"

namespace latchlab::exporting {

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

}  // namespace latchlab::exporting
