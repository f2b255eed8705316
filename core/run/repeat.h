#pragma once
// One repeat of one point: from a resolved point and a seed to metrics. It runs in this process
// (only once, if the backend allows one instance per process), or is merged from the shares of
// several processes.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/measure/metrics.h"
#include "core/protocols/lock.h"
#include "core/run/share.h"
#include "core/run/trace_hook.h"
#include "core/scenario/scenario.h"

namespace latchlab {

struct RepeatOutcome {
  RepeatStatus status = RepeatStatus::ok;
  std::string message;  // for the user; empty if ok
  std::uint64_t seed = 0;
  RepeatMetrics metrics;
  double wall_s = 0;  // for timing.json only
  std::uint64_t peak_rss_kib = 0;
  std::string report = {};  // of the hook (TraceHook::report); results do not contain it
};

// A node whose process ended without an outcome.
struct LostNode {
  NodeId node;
  std::string why;
  std::vector<LeftInside> left;  // what_is_left() of its guard journal
  bool journal = false;          // it could be read; otherwise what the node left is unknown
};

// Merges the outcomes of the processes of one repeat and judges it. A violation makes it unsafe. A
// refusal, a lost node that no fault of the point explains, or shares that do not belong together
// fail it. Then come deadlock, no progress and starvation. If there are several reasons to fail,
// the message names the one that caused the others. A lost node without a journal makes all guard
// words meaningless, because any of them may contain the node's amounts.
RepeatOutcome merge_outcomes(const Point& point, std::span<const ShareOutcome> outcomes,
                             std::span<const LostNode> lost = {});

// run_share on a backend that hosts all clients, then merge_outcomes.
RepeatOutcome run_repeat(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                         const BackendFactory& make_backend, TraceHook* hook = nullptr);

}  // namespace latchlab
