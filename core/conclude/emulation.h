#pragma once
// Marks points whose numbers do not measure an RNIC, because a capability was emulated or the
// device is software. Such points validate behaviour and are not ranked with other points. Messages
// that an RNIC carries by our own scheme are reported, but still ranked.

#include "core/run/manifest.h"
#include "core/run/study.h"

namespace latchlab {

// True for a manifest line about an emulated capability that the RNIC still serves: its own SENDs
// and RECVs carry the messages, and only their additional cost is ours.
bool is_of_the_rnic(const std::string& line);

// Copies what the manifest says about the points into the outcome.
void mark_emulated(const Scenario& scenario, const RunManifest& manifest, StudyOutcome& outcome);

}  // namespace latchlab
