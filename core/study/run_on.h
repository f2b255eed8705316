#pragma once
// A window in which no cycle ended although clients were at work: either it is too short for the
// first crowd to drain, or the lock stands still. More time tells which; nothing of it is measured.

#include <cstdint>
#include <optional>

#include "core/base/time.h"
#include "core/measure/share.h"
#include "core/measure/window.h"
#include "core/world/backend.h"

namespace latchlab {

struct RunOn {
  Duration length;           // beyond the window's end
  std::uint64_t cycles = 0;  // that ended in it
  bool stuck = false;        // nothing could happen any more
  Duration drained;  // from the start until each client has had a cycle: if any ended, about

  bool progressed() const { return cycles > 0; }
};

// After a simulation, whose window `share` measured alone; nullopt: there is no such question. A
// lock that has had as many cycles as clients by then, and none in a whole window, stands still,
// and is not looked at any longer.
std::optional<RunOn> run_on(Running& backend, const WindowRecorder& recorder,
                            const MeasuredShare& share);

}  // namespace latchlab
