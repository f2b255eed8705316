#pragma once
// How many verbs a point will post, from what its scenario says: bounds of a closed network of
// queues (Denning and Buzen, 1978). Sections per second are bounded by the clients over the time of
// one section without waiting, by what a server's RNIC or CPU serves, and by the hottest lock,
// whose holders come one after the other. Clients of a lock that polls add the verbs of their
// waiting. Good to a factor of two for most locks: an estimate of the effort, not a prediction.

#include "core/scenario/scenario.h"

namespace latchlab::tool {

// The share of all acquisitions that want the hottest lock, or conflict with what is wanted most of
// its object's units.
double hottest_share(const WorkloadSpec& workload, std::uint64_t locks);

struct Load {
  double sections_s = 0;  // per second
  double verbs_s = 0;     // per second, messages and calls included
};
Load estimate_load(const Point& point);

}  // namespace latchlab::tool
