#pragma once
// Cores that a launcher leaves to the nodes of a run, and whether they suffice.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace latchlab::tool {

// Who gave this process fewer cores than the machine has: "mpirun", "srun", a launcher's PMIx, or
// "its affinity mask" (taskset, a cgroup, a container); empty: it may use all.
std::string bound_by(std::size_t cores);

// What a node says of itself.
struct NodeCores {
  std::uint32_t node = 0;  // from 1
  std::string host, machine;
  std::vector<int> cores;
  std::string bound_by;
};

// Lines for the user: which cores the nodes have where something binds them, and a warning for each
// machine on which `threads` for each node are more than there are cores, with what to do.
struct CoreAdvice {
  std::vector<std::string> notes, warnings;
};
CoreAdvice advise_on_cores(const std::vector<NodeCores>& nodes, std::size_t threads);

}  // namespace latchlab::tool
