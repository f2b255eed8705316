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

class PointFiles;

struct StudyProgress {
  std::size_t done = 0, all = 0;  // repeats
  std::size_t stored = 0;         // of those done: taken from files
  double share = 0;               // of the work that is not stored, by StudyOptions::work
};

struct StudyOptions {
  std::uint32_t jobs = 1;
  // Where each finished repeat is written at once, and those that are there already are taken from;
  // null: nowhere. The study ends early when a file cannot be written.
  const PointFiles* files = nullptr;
  // How much work a repeat of a point is, in any unit; empty: the same for all.
  std::function<double(const Point&)> work;
  // Called as repeats end, in the order in which they end, and about every second.
  std::function<void(const StudyProgress&)> progress;
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
  std::vector<PointOutcome> points;   // as in the scenario
  bool interrupted = false;           // not every repeat has ended
  std::optional<Error> cannot_write;  // why it was cut short, if because of its files
  std::size_t stored = 0;             // repeats that were taken from files
  double wall_s = 0;
};

// SIGINT and SIGTERM end a study early: running repeats are dropped, finished ones kept.
StudyOutcome run_study(const Scenario& scenario, const StudyOptions& options,
                       const BackendFactory& make_backend);

}  // namespace latchlab
