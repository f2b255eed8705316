#pragma once
// Converts dates of the synchronised clock to dates of the own node's clock, and says in which
// direction such a date may err. No other code does this.

#include "core/verbs/verbs.h"

namespace latchlab {

// A reading of the synchronised clock, between two readings of the own one.
struct ClockLook {
  Time before;     // own
  Time common;     // synchronised, at a moment in between
  Time after;      // own
  Duration error;  // common is at most this far from the true date

  // own_at_earliest: when the own clock shows it, the synchronised one shows `date` or less; for a
  // right that ends at `date`. own_at_latest: `date` or more; for a right that begins then. Both
  // hold up to the synchronisation error (`error`) and to how far the two clocks drift apart after
  // the reading: the caller adds a margin for that.
  Time own_at_earliest(Time date) const { return saturating_add(before, date - common); }
  Time own_at_latest(Time date) const { return saturating_add(after, date - common); }
};

inline Task<ClockLook> look_at_clocks(Verbs& verbs) {
  ClockLook look;
  look.before = verbs.now();
  const SynchronisedTime shown = co_await verbs.synchronised_now();
  look.common = shown.date;
  look.error = shown.error;
  look.after = verbs.now();
  co_return look;
}

}  // namespace latchlab
