// Which steps are possible at which dates in a timed search: for every leg of every operation under
// way, one date for each latency; equal dates are in any order. No step is possible after the date
// by which another one has to happen.

#include <algorithm>

#include "backends/explorer/explorer_backend.h"
#include "backends/explorer/state.h"
#include "backends/explorer/steps.h"

namespace latchlab {

using explorer::OpSlot;
using explorer::State;
using explorer::Step;
using explorer::StepKind;
using explorer::StepList;

namespace {

// The dates at which a step is possible.
struct Window {
  std::vector<Time> dates;  // ascending
  bool must = true;  // it is made at the last date at the latest, unless it has become impossible
};

class Dating {
 public:
  explicit Dating(State& state) : state_(state) {}

  Window of(const Step& step) const {
    if (step.kind == StepKind::detect_crash) return {{state_.clock}, false};
    const bool takes_time = step.kind == StepKind::complete || explorer::by_nic(step.kind);
    if (!takes_time) return {{state_.clock}, true};
    const OpSlot& op = *step.op;
    const bool back = step.kind == StepKind::complete && op.effected;
    return leg(back ? op.effected_at : op.posted_at, op.possible_since);
  }

 private:
  // A leg that another operation delayed until `possible` ends then, if its latency is over.
  Window leg(Time begun, Time possible) const {
    Window window;
    for (const Duration latency : state_.search()->time.latencies) {
      const Time date = std::max(begun + latency, possible);
      const bool known = !window.dates.empty() && window.dates.back() == date;
      if (date >= state_.clock && !known) window.dates.push_back(date);
    }
    // A remaining part of an operation whose last date is now.
    if (window.dates.empty()) window.dates.push_back(state_.clock);
    return window;
  }

  const State& state_;
};

}  // namespace

const std::vector<StepList::Dated>& ExplorerBackend::possible_by_date(Time& last) {
  list_steps();
  const explorer::ArenaScope heap(nullptr);
  const Dating dating(*state_);
  last = kNever;
  for (const auto& actor : state_->actors)
    if (actor->paused) last = std::min(last, actor->paused_until);
  for (StepList::Later& later : steps_->later) {
    later.date = std::max(later.date, state_->clock);
    last = std::min(last, later.date);
  }
  std::vector<Window> windows;
  for (const Step& step : steps_->now) {
    windows.push_back(dating.of(step));
    if (windows.back().must) last = std::min(last, windows.back().dates.back());
  }
  for (std::size_t i = 0; i < windows.size(); ++i)
    for (const Time date : windows[i].dates)
      if (date <= last) steps_->dated.push_back({date, steps_->now[i]});
  for (const StepList::Later& later : steps_->later)
    if (later.date <= last) steps_->dated.push_back({later.date, later.step});
  return steps_->dated;
}

}  // namespace latchlab
