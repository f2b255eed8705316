#pragma once
// One repeat of one point: from a resolved point and a seed to metrics. Runs in this process, and,
// where the backend allows one instance per process, only once.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/measure/metrics.h"
#include "core/protocols/lock.h"
#include "core/runner/backend.h"
#include "core/runner/onlooker.h"
#include "core/runner/world.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Makes the backend for a plan of the world; bound to a concrete backend by the tool.
using BackendFactory =
    std::function<std::unique_ptr<Backend>(const WorldPlan& plan, const Point& point)>;

// From best to worst.
enum class RepeatStatus : std::uint8_t {
  ok,
  starved,      // clients waited for one lock through the whole window: worth a warning, no failure
  unavailable,  // the backend lacks what the protocol needs
  stuck,        // clients wait, and nothing can ever happen again
  failed,       // the run's process died, or the input was refused late
  unsafe,       // a violation of mutual exclusion
};
inline constexpr RepeatStatus kWorstStatus = RepeatStatus::unsafe;
std::string_view name_of(RepeatStatus status);
// Whether there is a run behind its metrics.
constexpr bool has_run(RepeatStatus status) {
  return status != RepeatStatus::unavailable && status != RepeatStatus::failed;
}

struct RepeatOutcome {
  RepeatStatus status = RepeatStatus::ok;
  std::string message;  // for people; empty when all is well
  std::uint64_t seed = 0;
  RepeatMetrics metrics;
  double wall_s = 0;  // timing only, never part of results.json
  std::uint64_t peak_rss_kib = 0;
};

// Repeat r of every point runs with this seed.
std::uint64_t repeat_seed(std::uint64_t seed, std::uint32_t repeat);

WorldShape shape_of(const Point& point, std::uint64_t seed);

// Contradictions between a point and the limits of its protocol; empty when there are none.
std::string limits_exceeded(const Point& point, const Protocol& protocol);

RepeatOutcome run_repeat(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                         const BackendFactory& make_backend, Onlooker* onlooker = nullptr);

}  // namespace latchlab
