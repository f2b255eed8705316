#pragma once
// Traces a window of a repeat while it runs, with wrappers around the backend, every actor's verbs
// and the observer. The wrappers take no simulated time and post no operations, so results and
// fingerprints equal those of an untraced run.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/run/trace_hook.h"
#include "tools/export/trace_recorder.h"

namespace latchlab::exporting {

// Called once, when the run has ended.
using TraceTaker = std::function<void(const TraceRecorder& recorder)>;

// For one repeat.
std::unique_ptr<TraceHook> make_tracing(const TraceWindow& window, TraceTaker taker);

}  // namespace latchlab::exporting
