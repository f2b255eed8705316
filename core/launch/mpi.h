#pragma once
// A run started by MPI's launcher (mpirun, srun): MPI tells the processes their ranks and where the
// coordinator is; from then on everything goes over TCP, and MPI is over.
//
// Rank 0 is to be the coordinator and to start a node process of its own machine (LocalMembers) for
// rank 0; the others join with their ranks.

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace latchlab::launch {

struct MpiPlace {
  std::uint32_t rank = 0;
  std::uint32_t size = 1;
};

// Are we one of several processes that such a launcher has started? Begins nothing.
bool started_by_mpi();

// nullopt: not started by such a launcher, or as its only process. Error: started by one that this
// build cannot talk to (it has no MPI, or another one's).
Result<std::optional<MpiPlace>> mpi_place();

// Called by all ranks, once, after mpi_place() has given each its place: rank 0's text (where the
// coordinator is, and its token), at all of them. Ends MPI.
std::string mpi_share(std::string text);

}  // namespace latchlab::launch
