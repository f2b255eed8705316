#pragma once
// One repeat of one point: from a resolved point and a seed to metrics. Runs in this process, and,
// where the backend allows one instance per process, only once; or is made of the shares that other
// processes ran.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/measure/metrics.h"
#include "core/protocols/lock.h"
#include "core/scenario/scenario.h"
#include "core/study/onlooker.h"
#include "core/study/share.h"

namespace latchlab {

struct RepeatOutcome {
  RepeatStatus status = RepeatStatus::ok;
  std::string message;  // for people; empty when all is well
  std::uint64_t seed = 0;
  RepeatMetrics metrics;
  double wall_s = 0;  // timing only, never part of results.json
  std::uint64_t peak_rss_kib = 0;
};

// A node whose process ended without an outcome.
struct LostNode {
  NodeId node;
  std::string why;
  std::vector<LeftInside> left;  // what_is_left() of its guard journal
  bool journal = false;          // it could be read: else nobody knows what the node has left
};

// Adds up what the processes of one repeat have to say, and judges it: a violation makes it unsafe;
// a refusal, a lost node that no fault of the point explains, or shares that do not belong together
// fail it; then come deadlock, no progress and starvation. Of several reasons to fail, the message
// is the one that the others follow from. A lost node without a journal makes all guard words
// meaningless: what it was counted in with may be in any of them.
RepeatOutcome merge_outcomes(const Point& point, std::span<const ShareOutcome> outcomes,
                             std::span<const LostNode> lost = {});

// run_share of a backend that hosts everybody, and merge_outcomes.
RepeatOutcome run_repeat(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                         const BackendFactory& make_backend, Onlooker* onlooker = nullptr);

}  // namespace latchlab
