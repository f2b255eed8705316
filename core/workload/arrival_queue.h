#pragma once
// The sections of one client in an open loop: when they arrive, whether or not the client is free,
// and how many of them wait. Dates count from the client's start, on its own clock.
//
// If clients cannot carry the load, queues grow. The mean number of arrivals that wait in each half
// of the measured window shows this (waiting time in the half / its length).

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/base/time.h"
#include "core/measure/open_loop.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// The dates of arrivals.
class ArrivalDates {
 public:
  // A Poisson process with this mean distance, from a random stream of its own.
  ArrivalDates(Rng rng, Duration mean);
  // The dates of the script, ascending.
  explicit ArrivalDates(std::vector<ScriptedArrival> script);

  bool over() const { return mean_.ps == 0 && index_ == script_.size(); }
  Duration at() const { return mean_.ps > 0 ? at_ : script_[index_].at; }
  const ScriptedArrival* scripted() const { return mean_.ps > 0 ? nullptr : &script_[index_]; }
  void advance();

 private:
  Rng rng_;
  Duration mean_;  // zero: a script
  Duration at_;
  std::vector<ScriptedArrival> script_;
  std::size_t index_ = 0;
};

class ArrivalQueue {
 public:
  // The window begins at `window_start` after the client's start.
  ArrivalQueue(ArrivalDates dates, Duration window_start, Duration window);

  struct Arrival {
    Duration at;
    std::optional<ScriptedArrival> scripted;
  };
  // The window begins at `start` instead of the date given before; all counts so far are dropped.
  void window_opens(Duration start);

  // The next section, for a client that is free at `now`; none: there are no more.
  std::optional<Arrival> take(Duration now);

  // Includes the arrivals that still wait at `now`, the end of the run.
  OpenLoopTally tally(Duration now) const;

 private:
  static void wait(OpenLoopTally& tally, const ArrivalQueue& queue, Duration from, Duration to);
  bool in_window(Duration at) const { return at >= start_ && at < end_; }

  ArrivalDates next_;
  ArrivalDates ahead_;         // as next_, but advanced past all arrivals so far
  std::uint64_t arrived_ = 0;  // how many ahead_ has passed
  std::uint64_t taken_ = 0;
  Duration start_, middle_, end_;
  Duration last_;  // the date of the last arrival that was taken
  OpenLoopTally tally_;
};

}  // namespace latchlab
