#pragma once
// All points of a scenario, each repeat in a process of its own (SimGrid allows one engine per
// process; a crash loses one repeat), `jobs` at a time. What a repeat computes does not depend on
// how many run beside it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/leaves.h"
#include "core/runner/repeat.h"
#include "core/scenario/scenario.h"

namespace latchlab {

struct StudyOptions {
  std::uint32_t jobs = 1;
  std::string points_dir;  // where each finished repeat is written at once; empty: nowhere
  // Called as repeats end, in the order in which they end: for progress only.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

struct PointOutcome {
  std::vector<std::optional<RepeatOutcome>> repeats;  // empty: interrupted before it ended

  bool complete() const;
  // The worst of its repeats.
  RepeatStatus status() const;
  std::string message() const;  // of the first repeat that is not ok
  // Aggregated over the repeats that have metrics; empty when none has.
  Leaves metrics() const;
};

struct StudyOutcome {
  std::vector<PointOutcome> points;  // as in the scenario
  bool interrupted = false;
  double wall_s = 0;
};

// SIGINT and SIGTERM end a study early: running repeats are dropped, finished ones kept.
StudyOutcome run_study(const Scenario& scenario, const StudyOptions& options,
                       const BackendFactory& make_backend);

}  // namespace latchlab
