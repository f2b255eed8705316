#pragma once
// Which points of a study are traced, over which window, and the files DIR/traces/POINT.json.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/study/onlooker.h"

namespace latchlab::exporting {

struct TraceRequest {
  bool wanted = false;
  // "20ms+200us": from + length; "worst": see worst_acquisition.h; empty: the window's first 100us.
  std::string window;
  std::string points;  // "0,3"; empty: all when they are few, else the first
};

struct PlannedTrace {
  std::size_t point = 0;
  Time from, to;
};
using TracePlan = std::vector<PlannedTrace>;

// Empty when none is wanted. Refuses windows outside the run and points that there are not.
Result<TracePlan> plan_traces(const Scenario& scenario, const TraceRequest& request);

// Traces the first repeat of each planned point into `directory`/traces, which is made here;
// without a plan, nobody looks on. What it is given outlives the study.
Result<OnlookerFactory> tracing_into(const std::string& directory, const Scenario& scenario,
                                     const TracePlan& plan);

// What became of them, a line each for people; an error when a file is not there.
Result<std::vector<std::string>> describe_traces(const std::string& directory,
                                                 const TracePlan& plan);

}  // namespace latchlab::exporting
