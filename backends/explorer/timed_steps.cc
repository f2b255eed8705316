// What may happen at which dates in a timed search: of every leg of everything that is under way,
// one for each latency, in any order where dates are equal. Nothing can happen any more once
// something else has to have happened.

#include <algorithm>

#include "backends/explorer/explorer_backend.h"
#include "backends/explorer/steps.h"
#include "backends/explorer/world.h"

namespace latchlab {

using explorer::ProbeSlot;
using explorer::Step;
using explorer::StepKind;
using explorer::StepList;
using explorer::World;

namespace {

// A step of the list, and the dates at which it may be made.
struct Window {
  std::vector<Time> dates;  // ascending
  bool must = true;         // it is made at the last of them unless it has become impossible
};

class Dating {
 public:
  explicit Dating(World& world) : world_(world), time_(world.search()->time) {}

  Window of(const Step& step) const {
    Window window;
    switch (step.kind) {
      case StepKind::complete:
        add(step.op->effected_at, {}, window);
        break;
      case StepKind::probe_launch:
        add(step.probe->worth_since, {}, window);
        add(step.probe->worth_since, pause_of(*step.probe), window);
        break;
      case StepKind::detect_crash:
        window = {{world_.clock}, false};
        break;
      default:
        if (explorer::by_nic(step.kind)) {
          add(step.op->posted_at, {}, window);
        } else {
          window.dates.push_back(world_.clock);
        }
    }
    std::sort(window.dates.begin(), window.dates.end());
    const auto end = std::unique(window.dates.begin(), window.dates.end());
    window.dates.erase(end, window.dates.end());
    return window;
  }

 private:
  void add(Time since, Duration pause, Window& window) const {
    for (const Duration latency : time_.latencies) {
      const Time date = saturating_add(saturating_add(since, pause), latency);
      window.dates.push_back(std::max(date, world_.clock));
    }
  }
  // Somebody who looks again and again may just have begun to pause.
  static Duration pause_of(const ProbeSlot& probe) {
    if (!probe.wait.pacing) return {};
    const Duration pause = probe.wait.pacing(probe.wait.first_seen, 1);
    return pause == kForever ? Duration{} : pause;
  }

  const World& world_;
  const explorer::TimedModel& time_;
};

}  // namespace

const std::vector<StepList::Dated>& ExplorerBackend::possible_by_date() {
  list_steps();
  const explorer::ArenaScope heap(nullptr);
  const Dating dating(*world_);
  Time last = kNever;
  for (const StepList::Later& later : steps_->later) last = std::min(last, later.date);
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
