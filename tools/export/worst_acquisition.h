#pragma once
// --trace-window worst: around the acquisition that took longest, found in a run of its own, which
// the traced one then repeats.

#include <string>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/study/repeat.h"
#include "tools/export/trace_files.h"

namespace latchlab::exporting {

inline constexpr const char* kWorst = "worst";  // as TraceRequest::window

// Where that is asked for, finds the plan's windows, by running its repeats; a file that it needs
// on the way lies in `directory` for a moment.
Status place_worst(const std::string& directory, const Scenario& scenario,
                   const TraceRequest& request, const BackendFactory& make_backend,
                   TracePlan& plan);

}  // namespace latchlab::exporting
