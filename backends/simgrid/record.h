#pragma once
// What a run is compared by: the fingerprint of its effects, and the balance of what was posted;
// and who looks on.

#include <cstddef>
#include <cstdint>

#include "backends/simgrid/sim_actor.h"
#include "backends/simgrid/timeline.h"
#include "core/base/fingerprint.h"
#include "core/world/backend.h"
#include "core/world/effects.h"

namespace latchlab::sim {

class Record {
 public:
  explicit Record(const Timeline& timeline) : timeline_(timeline) {}

  // Something that the fingerprint shows, now.
  template <std::size_t kCount>
  void note(const std::uint64_t (&words)[kCount]) {
    fingerprint_.add(static_cast<std::uint64_t>(timeline_.now().ps), words);
  }
  // The operation has changed what others see.
  void count_effect(const SimOperation& op) {
    FirstEffect& first = owner(op).first_effect();
    ++effects_;
    if (first.armed) first.happened(owner(op).client(), effects_);
  }
  // A call whose owner has been told that it is late belongs to the request that it was made for,
  // and not to what its owner wants by the time of its effect. Calls' numbers grow: of a request
  // without an effect the first late one is kept where the effect's place will be.
  void became_late(const SimOperation& call) {
    FirstEffect& first = owner(call).first_effect();
    if (first.armed && first.order == FirstEffect::kUnknown) first.order = call.deadline_number;
  }
  void count_late_effect(const SimOperation& call) {
    const FirstEffect& first = owner(call).first_effect();
    if (first.armed && first.order <= call.deadline_number) count_effect(call);
  }
  void count_posted() {
    ++census_.posted;
    ++census_.in_flight;
  }
  void count_ended(const SimOperation& op) {
    --census_.in_flight;
    ++(op.completion.ok() ? census_.executed : census_.failed);
  }

  // Null: nobody, which costs a branch for each effect.
  void tell_effects(EffectSink* sink) { sink_ = sink; }
  // It has taken effect now, through a slot of an atomic unit or without.
  void tell_effect(const SimOperation& op) {
    if (sink_ != nullptr) sink_->took_effect({op});
  }
  void tell_effect_in_slot(const SimOperation& op) {
    if (sink_ != nullptr) sink_->took_effect({op, op.slot_entered, op.slot_taken});
  }
  void tell_arrival(const SimOperation& op) {
    if (sink_ != nullptr) sink_->arrived(op);
  }

  RunFingerprint& fingerprint() { return fingerprint_; }
  const VerbCensus& census() const { return census_; }

 private:
  const Timeline& timeline_;
  RunFingerprint fingerprint_;
  VerbCensus census_;
  std::uint64_t effects_ = 0;
  EffectSink* sink_ = nullptr;
};

}  // namespace latchlab::sim
