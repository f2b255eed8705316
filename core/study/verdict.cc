#include "core/study/verdict.h"

#include "core/study/comparison.h"

namespace latchlab {
namespace {

bool is_checked(const PointOutcome& outcome) {
  const Leaves metrics = outcome.metrics();
  const LeafValue* checks = find_leaf(metrics, "safety.checks");
  return checks != nullptr && number_of(*checks);
}

}  // namespace

std::string verdict(const PointOutcome& outcome) {
  if (!outcome.complete()) return "interrupted";
  const Doubt doubt = doubt_of(outcome);
  const bool settled = doubt != Doubt::unsettled;
  switch (outcome.status()) {
    case RepeatStatus::ok:  // on hardware without guard words nobody looks
      if (doubt == Doubt::client_bound) return "client-bound";
      if (!is_checked(outcome)) return settled ? "unchecked" : "unchecked, not settled";
      return settled ? "ok" : "not settled";
    case RepeatStatus::starved:
      return settled ? "starved" : "starved, not settled";
    case RepeatStatus::unsafe:
      return "UNSAFE";
    case RepeatStatus::stuck:
      return "DEADLOCK";
    case RepeatStatus::no_progress:
      return "NO PROGRESS";
    case RepeatStatus::unavailable:
      return "UNAVAILABLE";
    case RepeatStatus::failed:
      break;
  }
  return "FAILED";
}

}  // namespace latchlab
