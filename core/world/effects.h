#pragma once
// Reports effects as they take place, for tracing and checks. Only a backend in which one clock
// dates all of them can do this; that of real RNICs cannot. Results of a run do not depend on it.

#include "core/base/time.h"
#include "core/verbs/operation.h"
#include "core/world/backend.h"

namespace latchlab {

// An effect that takes place now; effects are reported in their order. Dates are true ones.
struct Effect {
  const Operation& op;  // a verb or a CPU access; its result is final
  // For an operation that goes through a slot of the RNIC's atomic unit: when it began to wait for
  // the slot, and when it got it, which is when an atomic reads. kNever: it goes through none.
  Time queued = kNever;
  Time began = kNever;
};

// Must change nothing, post nothing and resume no coroutine.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  // Memory now contains the result of the operation.
  virtual void took_effect(const Effect& effect) = 0;
  // A message has taken a RECV of its target, or a call has arrived: it is in its receiver's memory
  // now, or soon. `op.owner` has sent it; for a datagram, `op` differs from what its sender posted.
  virtual void arrived(const Operation& op) = 0;
};

class EffectSource {
 public:
  virtual ~EffectSource() = default;
  virtual void tell_effects(EffectSink* sink) = 0;  // null: report to no sink from now on
};

// Null: this backend does not report effects.
inline EffectSource* effect_source(Backend& backend) {
  return dynamic_cast<EffectSource*>(&backend);
}

}  // namespace latchlab
