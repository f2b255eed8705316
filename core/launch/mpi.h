#pragma once
// Start by an MPI launcher (mpirun, srun): MPI gives the processes their ranks and the
// coordinator's address. MPI is then finalized, and all further communication uses TCP.
//
// Rank 0 becomes the coordinator and starts a node process of rank 0 on its own machine
// (LocalMembers); the other processes join with their ranks.

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace latchlab::launch {

struct MpiRank {
  std::uint32_t rank = 0;
  std::uint32_t size = 1;
};

// True if an MPI launcher started this process as one of several. Does not initialize MPI.
bool started_by_mpi();

// nullopt: not started by such a launcher, or as its only process. Error: this build cannot talk to
// the launcher, because it has no MPI or a different one.
Result<std::optional<MpiRank>> mpi_rank();

// Broadcasts rank 0's text (the coordinator's address and token) to all ranks. All ranks call it
// once, after mpi_rank() has returned one. Finalizes MPI.
std::string mpi_share(std::string text);

}  // namespace latchlab::launch
