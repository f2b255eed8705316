#pragma once
// --trace-window worst: the window around the longest acquisition. A preliminary run of the same
// repeat finds the window before the traced run.

#include <string>

#include "core/base/result.h"
#include "core/run/repeat.h"
#include "core/scenario/scenario.h"
#include "tools/export/trace_files.h"

namespace latchlab::exporting {

inline constexpr const char* kWorst = "worst";  // as TraceRequest::window

// If `request` asks for it, sets the windows of `plan` by running the planned repeats. Writes a
// temporary file to `directory`.
Status place_worst(const std::string& directory, const Scenario& scenario,
                   const TraceRequest& request, const BackendFactory& make_backend,
                   TracePlan& plan);

}  // namespace latchlab::exporting
