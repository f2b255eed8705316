#pragma once
// Effects as they take place, for whoever looks on. Only a backend in which one clock dates them
// all can tell of them; that of real RNICs cannot, and neither do its results depend on it.

#include "core/base/time.h"
#include "core/verbs/operation.h"
#include "core/world/backend.h"

namespace latchlab {

// Now: what follows is told later. The dates are true ones.
struct Effect {
  const Operation& op;  // a verb or a CPU access; its result is final
  // Of what goes through a slot of the RNIC's atomic unit: since when it waited for the slot, and
  // when it got it, which is when an atomic reads. kNever: it goes through none.
  Time queued = kNever;
  Time began = kNever;
};

// Changes nothing, posts nothing and resumes nobody.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  // Memory is now as it has left it.
  virtual void took_effect(const Effect& effect) = 0;
  // A message has taken a RECV of its target, or a call is there: it is in its receiver's memory
  // now, or soon. `op.owner` has sent it; of a datagram, `op` is not what its sender has posted.
  virtual void arrived(const Operation& op) = 0;
};

class EffectSource {
 public:
  virtual ~EffectSource() = default;
  virtual void tell_effects(EffectSink* sink) = 0;  // null: nobody any more
};

// Null: this backend does not tell.
inline EffectSource* effect_source(Backend& backend) {
  return dynamic_cast<EffectSource*>(&backend);
}

}  // namespace latchlab
