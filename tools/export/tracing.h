#pragma once
// Looks on while a repeat runs and writes a trace of a window of it: a backend around the backend,
// verbs around every actor's verbs, an observer around the observer. Nothing of it costs simulated
// time, or posts anything, so that results and fingerprints are those of a run without it.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/study/onlooker.h"
#include "tools/export/trace_recorder.h"

namespace latchlab::exporting {

// Told once, when the run is over.
using TraceTaker = std::function<void(const TraceRecorder& recorder)>;

// Of one repeat.
std::unique_ptr<Onlooker> make_tracing(const TraceWindow& window, TraceTaker taker);

}  // namespace latchlab::exporting
