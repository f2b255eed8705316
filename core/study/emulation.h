#pragma once
// Points whose numbers are no measure of an RNIC: what a lock needs was emulated, or the device is
// software. They validate behaviour, and are never ranked with others. Messages that an RNIC
// carries in a way of ours are no reason: that is said, and ranked.

#include "core/study/output.h"

namespace latchlab {

// A manifest's line about what is emulated, of which an RNIC does the work all the same: SENDs and
// RECVs of its own carry the messages, and only what they cost beside that is ours.
bool is_of_the_rnic(const std::string& line);

// Writes down in the outcome what the manifest says of its points.
void mark_emulated(const Scenario& scenario, const RunManifest& manifest, StudyOutcome& outcome);

}  // namespace latchlab
