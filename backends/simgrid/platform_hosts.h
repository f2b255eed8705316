#pragma once
// What a platform is, told without making a backend.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/nic.h"
#include "core/scenario/topology.h"

namespace latchlab {

// The names of the hosts that so many RNICs get, in their order; none for a star. Else a message
// for people, when SimGrid refuses the platform, when hosts are too few or more than nodes can be,
// when two of them are not connected, or when it takes more than two minutes of CPU time or 4 GiB.
// Routes between all pairs up to 1,024 nodes; beyond, to and from 512 of them; as many as 20 s of
// CPU time suffice for. Runs in a child process of its own.
Result<std::vector<std::string>> platform_hosts(std::uint32_t hosts, const NicModel& nic,
                                                const TopologySpec& topology);

}  // namespace latchlab
