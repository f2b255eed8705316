#pragma once
// Points whose numbers are no measure of an RNIC: what a lock needs was emulated, or the device is
// software. They validate behaviour, and are never ranked with others. Messages that an RNIC
// carries in a way of ours are no reason: that is said, and ranked.

#include "core/study/output.h"

namespace latchlab {

// Writes down in the outcome what the manifest says of its points.
void mark_emulated(const Scenario& scenario, const RunManifest& manifest, StudyOutcome& outcome);

}  // namespace latchlab
