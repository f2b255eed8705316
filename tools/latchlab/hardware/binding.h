#pragma once
// Checks whether the cores that a launcher gives the nodes of a run suffice.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace latchlab::tool {

// What restricts this process to fewer cores than the machine has: "mpirun", "srun", a launcher's
// PMIx, or "its affinity mask" (taskset, a cgroup, a container); empty: it may use all.
std::string bound_by(std::size_t cores);

// The cores of a node, as the node reports them.
struct NodeCores {
  std::uint32_t node = 0;  // from 1
  std::string host, machine;
  std::vector<int> cores;
  std::string bound_by;
};

// Lines for the user: the cores of each bound node, and a warning with a remedy for each machine
// whose cores are too few for `threads` per node.
struct CoreAdvice {
  std::vector<std::string> notes, warnings;
};
CoreAdvice advise_on_cores(const std::vector<NodeCores>& nodes, std::size_t threads);

}  // namespace latchlab::tool
