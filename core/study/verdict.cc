#include "core/study/verdict.h"

#include "core/study/comparison.h"

namespace latchlab {
namespace {

bool is_checked(const PointOutcome& outcome) {
  const Leaves metrics = outcome.metrics();
  const LeafValue* checks = find_leaf(metrics, "safety.checks");
  return checks != nullptr && number_of(*checks);
}

// Of a point that has run to its end.
std::string doubts(const PointOutcome& outcome) {
  const bool starved = outcome.status() == RepeatStatus::starved;
  const Doubt doubt = doubt_beside_emulation(outcome);
  std::string words;
  const auto add = [&words](bool is, const char* word) {
    if (is) words += (words.empty() ? "" : ", ") + std::string(word);
  };
  add(starved, "starved");
  add(!outcome.emulated.empty(), "emulated");
  add(doubt == Doubt::client_bound, "client-bound");
  // On hardware without guard words nobody looks.
  add(!starved && doubt != Doubt::client_bound && !is_checked(outcome), "unchecked");
  add(doubt == Doubt::unsettled, "not settled");
  return words.empty() ? "ok" : words;
}

}  // namespace

std::string verdict(const PointOutcome& outcome) {
  if (!outcome.complete()) return "interrupted";
  switch (outcome.status()) {
    case RepeatStatus::ok:
    case RepeatStatus::starved:
      return doubts(outcome);
    case RepeatStatus::too_short:
      return "window too short";
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
