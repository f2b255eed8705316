#pragma once
// The hosts of a platform, found without making a backend.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/nic.h"
#include "core/scenario/topology.h"

namespace latchlab {

// The names of the hosts of `hosts` RNICs, in their order; empty for a star. The error is a message
// for the user: SimGrid refuses the platform, it has too few hosts or more than 65,535, two hosts
// are not connected, or it takes more than 120 s of CPU time or 4 GiB of memory. Checks the routes
// between all pairs of up to 1,024 hosts; with more hosts, those to and from 512 of them; and at
// most for 20 s of CPU time. Runs in a child process.
Result<std::vector<std::string>> platform_hosts(std::uint32_t hosts, const NicModel& nic,
                                                const TopologySpec& topology);

}  // namespace latchlab
