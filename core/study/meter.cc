// The stopwatch of one client.

#include <utility>

#include "core/study/measuring.h"

namespace latchlab {

void MeasuringObserver::Meter::mark(Phase phase) {
  mark_at(phase, clock->true_now());
}

void MeasuringObserver::Meter::was(Phase phase) {
  const Phase goes_on = std::exchange(current, phase);
  mark(goes_on);
}

void MeasuringObserver::Meter::mark_at(Phase phase, Time now) {
  spent[static_cast<std::size_t>(current)] += now - since;
  current = phase;
  since = now;
}

void MeasuringObserver::Meter::restart(Time now) {
  spent = {};
  current = Phase::other;
  since = begun = now;
}

Duration MeasuringObserver::Meter::stop(Time now) {
  mark_at(Phase::other, now);  // time may have passed since the last mark; phases must add up
  return now - begun;
}

}  // namespace latchlab
