#pragma once
// Runs all points of a scenario, `jobs` repeats at a time, each in its own process (SimGrid allows
// one engine per process, and a crash loses only one repeat). The result of a repeat does not
// depend on `jobs`.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/leaves.h"
#include "core/run/repeat.h"
#include "core/scenario/scenario.h"

namespace latchlab {

class PointFiles;

// True after the user has asked to stop.
using StopAsked = std::function<bool()>;

struct StudyProgress {
  std::size_t done = 0, all = 0;  // repeats
  std::size_t stored = 0;         // of those done: read from files
  double share = 0;               // of the work that is not stored, weighted by StudyOptions::work
};

// Runs one repeat of a point elsewhere and waits for it; returns early if the user asks to stop.
using RepeatRunner = std::function<RepeatOutcome(const Scenario& scenario, std::size_t point,
                                                 std::uint32_t repeat, const StopAsked& stop)>;

struct StudyOptions {
  std::uint32_t jobs = 1;
  // Runs each repeat instead of a child process, one after the other; empty: child processes run
  // them.
  RepeatRunner runner;
  // Stores each finished repeat, and supplies stored ones; null: repeats are not stored. The study
  // ends early if a file cannot be written.
  const PointFiles* files = nullptr;
  TraceHookFactory hook;  // for each repeat that runs; empty: none
  // The cost of a repeat of a point, in any unit; empty: all cost the same.
  std::function<double(const Point&)> work;
  // Called when a repeat ends, in that order, and about once per second.
  std::function<void(const StudyProgress&)> progress;
};

struct PointOutcome {
  std::vector<std::optional<RepeatOutcome>> repeats;  // no value: interrupted
  // What was not done by an RNIC, so that the numbers do not measure one (emulation.h); empty:
  // nothing.
  std::string emulated;

  bool complete() const;
  std::size_t made() const;  // repeats that have ended
  // The worst status of its repeats.
  RepeatStatus status() const;
  // True if it is complete and its numbers can be judged and compared.
  bool sound() const;
  std::string message() const;  // of the first repeat that is not ok
  // Aggregated over the repeats that have metrics; empty if none has.
  Leaves metrics() const;
};

// The metric's value in each repeat that has one.
std::vector<double> values_of(const PointOutcome& point, const std::string& metric);

// The reason that the scenario gives for this verdict (`known`); null: none.
const std::string* why_known(const Point& point, const PointOutcome& outcome);

struct StudyOutcome {
  std::vector<PointOutcome> points;   // in the order of the scenario
  bool interrupted = false;           // not every repeat has ended
  std::optional<Error> cannot_write;  // the error, if the study ended because of its files
  std::string software;               // software devices that it ran on; empty: none
  std::size_t stored = 0;             // repeats that were read from files
  double wall_s = 0;
};

// True if run.precision requires another repeat of a point whose repeats are all complete.
bool wants_another(const Point& point, const PointOutcome& outcome);
// True if run.precision was not reached although run.most_repeats repeats are complete.
bool misses_precision(const Point& point, const PointOutcome& outcome);

// For each point its own index, or that of an earlier point with the same run: points that differ
// only in a swept parameter that their lock does not have. run_study() runs such points once and
// copies the outcome, unless a hook observes the repeats.
std::vector<std::size_t> same_runs(const Scenario& scenario);

// SIGINT and SIGTERM end a study early: running repeats are discarded, finished ones kept.
StudyOutcome run_study(const Scenario& scenario, const StudyOptions& options,
                       const BackendFactory& make_backend);

}  // namespace latchlab
