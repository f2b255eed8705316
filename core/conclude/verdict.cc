#include "core/conclude/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/conclude/caveat.h"

namespace latchlab {
namespace {

using VerdictWords = std::vector<std::string_view>;

constexpr std::string_view kNothingAgainst[] = {"ok", "unchecked", "expired holds", "late effects"};

// The verdict words of a completed point.
VerdictWords caveats(const PointOutcome& outcome) {
  const bool starved = outcome.status() == RepeatStatus::starved;
  const Caveat caveat = caveat_beside_emulation(outcome);
  const Leaves metrics = outcome.metrics();
  VerdictWords words;
  const auto add = [&words](bool is, std::string_view word) {
    if (is) words.push_back(word);
  };
  add(starved, "starved");
  add(!outcome.emulated.empty(), "emulated");
  add(caveat == Caveat::client_bound, "client-bound");
  // On hardware, mutual exclusion is checked only with guard words.
  add(!starved && caveat != Caveat::client_bound && !number_at(metrics, "safety.checks"),
      "unchecked");
  add(caveat == Caveat::unsettled, "not settled");
  add(caveat == Caveat::cut, "cut sections");
  add(number_at(metrics, "safety.expired_holds").value_or(0) > 0, "expired holds");
  add(number_at(metrics, "safety.late_effects").value_or(0) > 0, "late effects");
  if (words.empty()) words.emplace_back("ok");
  return words;
}

VerdictWords words_of(const PointOutcome& outcome) {
  if (!outcome.complete()) return {"interrupted"};
  switch (outcome.status()) {
    case RepeatStatus::ok:
    case RepeatStatus::starved:
      return caveats(outcome);
    case RepeatStatus::too_short:
      return {"window too short"};
    case RepeatStatus::unsafe:
      return {"UNSAFE"};
    case RepeatStatus::stuck:
      return {"DEADLOCK"};
    case RepeatStatus::no_progress:
      return {"NO PROGRESS"};
    case RepeatStatus::unavailable:
      return {"UNAVAILABLE"};
    case RepeatStatus::failed:
      break;
  }
  return {"FAILED"};
}

}  // namespace

std::string verdict(const PointOutcome& outcome) {
  return fmt::format("{}", fmt::join(words_of(outcome), ", "));
}

std::string why_apart(const PointOutcome& outcome) {
  const VerdictWords words = words_of(outcome);
  const bool fine = std::all_of(words.begin(), words.end(), [](std::string_view word) {
    return std::find(std::begin(kNothingAgainst), std::end(kNothingAgainst), word) !=
           std::end(kNothingAgainst);
  });
  return fine ? "" : verdict(outcome);
}

}  // namespace latchlab
