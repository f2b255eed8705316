#pragma once
// What the stations of the simulated world share. A verb passes from station to station: its
// requester's CPU, the QP, the wire, the responder's RNIC, and back. A station serves a verb in one
// of its functions and then sends it on through a gate (event_queue.h): at a date, or at once.
// stations.cc alone knows which function of which station is behind each gate.
//
// A station calls another one directly only to ask for a service that is below it: a date of the
// network, an effect in memory, a core. stations.h lists them from the bottom up.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/simgrid/actors.h"
#include "backends/simgrid/clocks.h"
#include "backends/simgrid/event_queue.h"
#include "backends/simgrid/nodes.h"
#include "core/base/fingerprint.h"
#include "core/world/backend.h"
#include "core/world/effects.h"

namespace latchlab::sim {

// The fingerprint of a run's effects, the counts of operations posted and ended, and the sink that
// is told of effects.
class Record {
 public:
  explicit Record(const Timeline& timeline) : timeline_(timeline) {}

  // Adds an event of the present to the fingerprint.
  template <std::size_t kCount>
  void note(const std::uint64_t (&words)[kCount]) {
    fingerprint_.add(static_cast<std::uint64_t>(timeline_.now().ps), words);
  }
  // The operation had its effect.
  void count_effect(const SimOperation& op) {
    FirstEffect& first = owner(op).first_effect();
    ++effects_;
    if (first.armed) first.happened(owner(op).client(), effects_);
  }
  // Calls that timed out: a late effect counts for the request that made the call, and not for a
  // request that its owner has begun since. Deadline numbers grow with time. So a request without
  // an effect notes in `order` the number of its first late call, and a late effect counts if its
  // call has that number or a later one.
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

  // Null: no sink. A null sink costs one branch for each effect.
  void tell_effects(EffectSink* sink) { sink_ = sink; }
  // The operation takes effect now, with or without a slot of an atomic unit.
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

// The state that all stations see.
struct SimContext {
  SimContext(Gates& gates, const WorldPlan& plan, const std::vector<const NicModel*>& nics,
             const std::vector<const ClockSpec*>& clock_specs, Duration synchronisation_error)
      : timeline(gates),
        record(timeline),
        nodes(plan, nics),
        clocks(timeline, nodes, clock_specs, plan.seed, synchronisation_error),
        actors(timeline, plan.clients) {}

  Timeline timeline;
  Record record;
  Nodes nodes;
  Clocks clocks;
  Actors actors;
  OperationPool operations;
};

class Station {
 protected:
  explicit Station(SimContext& context)
      : timeline_(context.timeline),
        record_(context.record),
        nodes_(context.nodes),
        clocks_(context.clocks),
        actors_(context.actors),
        operations_(context.operations) {}
  ~Station() = default;

  Timeline& timeline_;
  Record& record_;
  const Nodes& nodes_;
  Clocks& clocks_;
  Actors& actors_;
  OperationPool& operations_;
};

}  // namespace latchlab::sim
