#pragma once
// No cycle ended in the window although clients were active: either the window is too short for the
// initial queue to drain, or the lock makes no progress. Running longer distinguishes the two; this
// extra time is not measured.

#include <cstdint>
#include <optional>

#include "core/base/time.h"
#include "core/measure/share.h"
#include "core/measure/window.h"
#include "core/world/backend.h"

namespace latchlab {

struct RunOn {
  Duration length;           // after the end of the window
  std::uint64_t cycles = 0;  // that ended in it
  bool stuck = false;        // no further event was possible
  Duration drained;          // estimated time from the start until each client has had a cycle

  bool progressed() const { return cycles > 0; }
};

// Runs a simulation on after its window, whose measurements are in `share`. Returns nullopt if
// cycles ended in the window or no client was active, or if a violation was found. Also returns
// nullopt if by the window's end as many cycles as clients have ended: such a lock has stopped.
std::optional<RunOn> run_on(Running& backend, const WindowRecorder& recorder,
                            const MeasuredShare& share);

}  // namespace latchlab
