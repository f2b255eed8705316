#pragma once
// The one place where dates of the synchronised clock become dates of the own node's, and that says
// which way such a date may err.

#include "core/verbs/verbs.h"

namespace latchlab {

// A look at the synchronised clock, between two looks at the own one.
struct ClockLook {
  Time before;     // own
  Time common;     // synchronised, at some moment in between
  Time after;      // own
  Duration error;  // common is at most this far from the true date

  // When the own clock shows this, the synchronised one shows `date`, or less: for a right that
  // ends then. Or more: for a right that begins then. Both are exact but for the synchronisation
  // error (`error`), and for how far the two clocks drift apart from the look on: whoever asks
  // keeps a margin for that.
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
