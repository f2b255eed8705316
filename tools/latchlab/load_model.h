#pragma once
// Estimates how many verbs a point will post, with the bounds of a closed queueing network (Denning
// and Buzen, 1978). Three bounds limit critical sections per second: the number of clients over the
// duration of an uncontended section, the service rate of a server's RNIC or CPU, and the hottest
// lock, which serves one holder after the other. Waiting clients of a polling lock add verbs.
// Within a factor of two for most locks: an estimate of cost, not a prediction.

#include "core/scenario/scenario.h"

namespace latchlab::tool {

// The share of acquisitions that request the hottest lock; for ranges, the share that conflicts
// with the most requested units of the object.
double hottest_share(const WorkloadSpec& workload, std::uint64_t locks);

struct Load {
  double sections_s = 0;  // per second
  double verbs_s = 0;     // per second, messages and calls included
};
Load estimate_load(const Point& point);

}  // namespace latchlab::tool
