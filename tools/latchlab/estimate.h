#pragma once
// How long a study will take, and how much memory: good to a factor of two over the scenarios that
// are shipped, which is what a person wants to know before a long run.

#include "core/scenario/scenario.h"

namespace latchlab::tool {

// Verbs that one repeat posts, and all together (load_model.h).
double estimate_verbs(const Point& point);
double estimate_verbs(const Scenario& scenario);
// Of one repeat, and of all, on one core.
double estimate_seconds(const Point& point);
double estimate_seconds(const Scenario& scenario);
// Of one repeat from its start to the end of its window, which is what it takes on hardware.
double run_seconds(const Point& point);
// Of the largest point: the program, its clients, and the pages of the lock table that are touched.
double estimate_mib(const Scenario& scenario);
double physical_mib();  // of this machine
std::uint32_t cores();  // of this machine, one at least
// An error where one run needs more than that.
Status check_memory(const Scenario& scenario);

std::size_t repeats_of(const Scenario& scenario);

}  // namespace latchlab::tool
