#pragma once
// Chooses the points of a study to trace and their windows, and writes DIR/traces/POINT.json.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/trace_hook.h"
#include "core/scenario/scenario.h"

namespace latchlab::exporting {

struct TraceRequest {
  bool wanted = false;
  // "20ms+200us": start + length; "worst": see worst_acquisition.h; empty: the first 100 us of the
  // measurement window.
  std::string window;
  std::string points;  // "0,3"; empty: all points up to a small number, otherwise the first
};

struct PlannedTrace {
  std::size_t point = 0;
  Time from, to;
};
using TracePlan = std::vector<PlannedTrace>;

// Empty if no trace is requested. Error: a window outside the run, or a point that does not exist.
Result<TracePlan> plan_traces(const Scenario& scenario, const TraceRequest& request);

// Creates `directory`/traces and returns a factory that traces the first repeat of each planned
// point; with an empty plan it attaches no observer to any run. The arguments must outlive the
// study.
Result<TraceHookFactory> tracing_into(const std::string& directory, const Scenario& scenario,
                                      const TracePlan& plan);

// One line for the user per planned trace. Error: a trace file is missing.
Result<std::vector<std::string>> describe_traces(const std::string& directory,
                                                 const TracePlan& plan);

}  // namespace latchlab::exporting
