#include "core/launch/mpi.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/base/check.h"
#ifdef LATCHLAB_WITH_MPI
#include <mpi.h>
#endif

namespace latchlab::launch {
namespace {

// The number of processes according to the launcher; 1: no launcher. SLURM_NTASKS is not used: it
// is also set in batch scripts, which start a program as a single process.
std::uint32_t launched_size() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const text = std::getenv(variable);
    std::uint32_t size = 0;
    if (text != nullptr) std::from_chars(text, text + std::strlen(text), size);
    if (size > 1) return size;
  }
  return 1;
}

#ifdef LATCHLAB_WITH_MPI
// True if only Slurm's own variables give the rank. Open MPI would then end the program with a page
// about how to build it.
bool is_told_by_slurm_alone() {
  const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
  return is_set("SLURM_STEP_NUM_TASKS") && !is_set("OMPI_COMM_WORLD_SIZE") && !is_set("PMI_SIZE") &&
         !is_set("PMIX_RANK");
}
#endif

}  // namespace

#ifdef LATCHLAB_WITH_MPI

Result<std::optional<MpiRank>> mpi_rank() {
  const std::uint32_t launched = launched_size();
  if (launched == 1) return std::optional<MpiRank>();
  if (is_told_by_slurm_alone())
    return Error{fmt::format("started as one of {} processes, but MPI does not know; use srun "
                             "--mpi=pmix",
                             launched),
                 {}};
  int rank = 0;
  int size = 0;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (static_cast<std::uint32_t>(size) != launched) {
    MPI_Finalize();
    return Error{
        fmt::format("started as one of {} processes, but MPI knows of {}; use the mpirun "
                    "of the MPI that latchlab was built with (under Slurm: srun --mpi=pmix)",
                    launched, size),
        {}};
  }
  return std::optional(MpiRank{static_cast<std::uint32_t>(rank), launched});
}

std::string mpi_share(std::string text) {
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return text;
}

#else

Result<std::optional<MpiRank>> mpi_rank() {
  const std::uint32_t launched = launched_size();
  if (launched == 1) return std::optional<MpiRank>();
  return Error{fmt::format("started as one of {} processes, but this latchlab was built without "
                           "MPI; build it where MPI is installed (cmake -DLATCHLAB_MPI=ON), or "
                           "start latchlab run once and latchlab node --rendezvous HOST:PORT on "
                           "each machine",
                           launched),
               {}};
}

std::string mpi_share(std::string) {
  LATCHLAB_CHECK(false, "only a build with MPI has a place to share from");
  return {};
}

#endif

bool started_by_mpi() {
  return launched_size() > 1;
}

}  // namespace latchlab::launch
