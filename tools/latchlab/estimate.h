#pragma once
// Estimates the time and memory of a study before it runs, to within a factor of two for the
// scenarios in this repository.

#include "core/scenario/scenario.h"

namespace latchlab::tool {

// Bounds of a closed queueing network (load_model.cc) on what a point does per second.
struct Load {
  double sections_s = 0;  // critical sections
  double verbs_s = 0;     // messages and calls included
  double local_s = 0;     // acquisitions by the CPU of the lock's node, without verbs
};
Load estimate_load(const Point& point);

// Verbs posted by one repeat of a point, and by all repeats of a scenario.
double estimate_verbs(const Point& point);
double estimate_verbs(const Scenario& scenario);
// Time to simulate one repeat of a point, and all repeats of a scenario, on one core.
double estimate_seconds(const Point& point);
double estimate_seconds(const Scenario& scenario);
// Time from the start of one repeat to the end of its window: its duration on hardware.
double run_seconds(const Point& point);
// Memory of the largest point: the program, its clients and the touched pages of the lock table.
double estimate_mib(const Scenario& scenario);
double physical_mib();  // of this machine
std::uint32_t cores();  // of this machine, at least one
// Error: one run needs more than physical_mib().
Status check_memory(const Scenario& scenario);

std::size_t repeats_of(const Scenario& scenario);

}  // namespace latchlab::tool
