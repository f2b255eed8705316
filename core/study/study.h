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
#include "core/scenario/scenario.h"
#include "core/study/repeat.h"

namespace latchlab {

class PointFiles;

// Has the user asked to stop?
using StopAsked = std::function<bool()>;

struct StudyProgress {
  std::size_t done = 0, all = 0;  // repeats
  std::size_t stored = 0;         // of those done: taken from files
  double share = 0;               // of the work that is not stored, by StudyOptions::work
};

// Runs one repeat of a point elsewhere and waits for it, here; a signal to stop ends it early.
using RepeatRunner = std::function<RepeatOutcome(const Scenario& scenario, std::size_t point,
                                                 std::uint32_t repeat, const StopAsked& stop)>;

struct StudyOptions {
  std::uint32_t jobs = 1;
  // Runs each repeat in place of a child process, one after the other; empty: children do.
  RepeatRunner runner;
  // Where each finished repeat is written at once, and those that are there already are taken from;
  // null: nowhere. The study ends early when a file cannot be written.
  const PointFiles* files = nullptr;
  OnlookerFactory onlooker;  // of each repeat that runs; empty: nobody looks on
  // How much work a repeat of a point is, in any unit; empty: the same for all.
  std::function<double(const Point&)> work;
  // Called as repeats end, in the order in which they end, and about every second.
  std::function<void(const StudyProgress&)> progress;
};

struct PointOutcome {
  std::vector<std::optional<RepeatOutcome>> repeats;  // empty: interrupted before it ended
  // What was done by other means than an RNIC's, so that its numbers are no measure of one
  // (emulation.h); empty: nothing.
  std::string emulated;

  bool complete() const;
  // The worst of its repeats.
  RepeatStatus status() const;
  // Complete, and its numbers can be judged by and compared.
  bool sound() const;
  std::string message() const;  // of the first repeat that is not ok
  // Aggregated over the repeats that have metrics; empty when none has.
  Leaves metrics() const;
};

// Why the scenario says that this verdict of the point is no news; null: it does not.
const std::string* why_known(const Point& point, const PointOutcome& outcome);

struct StudyOutcome {
  std::vector<PointOutcome> points;   // as in the scenario
  bool interrupted = false;           // not every repeat has ended
  std::optional<Error> cannot_write;  // why it was cut short, if because of its files
  std::string software;    // the devices that it ran on, if they are software; empty: they are not
  std::size_t stored = 0;  // repeats that were taken from files
  double wall_s = 0;
};

// Whether run.precision of a point whose repeats are all complete wants another one.
bool wants_another(const Point& point, const PointOutcome& outcome);

// SIGINT and SIGTERM end a study early: running repeats are dropped, finished ones kept.
StudyOutcome run_study(const Scenario& scenario, const StudyOptions& options,
                       const BackendFactory& make_backend);

}  // namespace latchlab
