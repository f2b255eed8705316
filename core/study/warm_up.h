#pragma once
// Looks on while a run warms up, opens the window when goodput has settled, and measures another
// one if the window tells that it had not.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/measuring.h"
#include "core/world/backend.h"

namespace latchlab {

class WarmUp {
 public:
  // The longest warm-up, in lengths of the window.
  static constexpr std::int64_t kMost = 10;

  // Of a run that one observer sees whole. `least`: no window opens before. `opens(date)` hears
  // each opening, before anything else of that date.
  WarmUp(MeasuringObserver& observer, Backend& backend, const RunSpec& run, Duration least,
         std::function<void(Time)> opens);

  // Before the run, which ends by request_stop() when the window that counts is over.
  void begin();
  // The date at which it is over at the latest.
  Time latest_end() const { return Time{} + duration_ * (kMost + 1); }
  bool over() const { return over_; }
  // After a run that ended before: opens the window, so that what is open can be told.
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
  std::uint64_t ended_ = 0;              // up to the last tick
  std::int64_t opened_at_ = -1;          // a tick; less: not yet
  bool over_ = false;
};

}  // namespace latchlab
