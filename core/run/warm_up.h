#pragma once
// Observes a run during its warm-up and opens the window when goodput has reached steady state. If
// the window shows that it had not, another window is measured.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/run/measuring.h"
#include "core/scenario/scenario.h"
#include "core/world/backend.h"

namespace latchlab {

class WarmUp {
 public:
  // The longest warm-up, as a multiple of the window's length.
  static constexpr std::int64_t kMost = 10;

  // For a run in which one observer sees all clients. `least`: the earliest time from the start at
  // which a window may open. `opens(date)` is called at each opening, before other events of that
  // time.
  WarmUp(MeasuringObserver& observer, Backend& backend, const RunSpec& run, Duration least,
         std::function<void(Time)> opens);

  // To be called before the run. The run ends by request_stop() when the final window is complete.
  void begin();
  // The latest time at which it is over.
  Time latest_end() const { return Time{} + duration_ * (kMost + 1); }
  bool over() const { return over_; }
  // To be called after a run that ended early: opens a window, so that unfinished work can be
  // reported.
  void give_up();

 private:
  static constexpr std::int64_t kTicks = 100;  // per length of the window

  Time date_of(std::int64_t tick) const;
  void next_tick();
  void tick();
  void open();
  bool may_open() const;

  MeasuringObserver& observer_;
  Backend& backend_;
  Duration duration_;
  Duration least_;
  std::function<void(Time)> opens_;
  std::vector<std::uint64_t> observed_;  // cycles that ended, by tick
  std::uint64_t ended_ = 0;              // until the last tick
  std::int64_t opened_at_ = -1;          // a tick; negative: not yet
  bool over_ = false;
};

}  // namespace latchlab
