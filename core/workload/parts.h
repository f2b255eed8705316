#pragma once
// What a section wants, for kinds of workload that choose more than a lock. Made once for some
// consecutive clients; each client's choices follow from the seed and its number.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/small_vector.h"
#include "core/protocols/lock.h"
#include "core/scenario/scenario.h"

namespace latchlab {

struct PartWanted {
  LockId lock;
  Extent extent = {};
  std::optional<LockMode> mode = std::nullopt;  // none: drawn as for the micro workload
};

// Bytes on a client machine, counted from 0.
struct PlacedBytes {
  std::uint32_t machine = 0;
  std::uint32_t bytes = 0;
};

struct SectionWanted {
  SmallVector<PartWanted, 1> parts;  // in the order of requests; none: nothing is locked
  std::vector<LockId> lookups;       // objects that are read before that, without a lock
  // If the workload decides about them: READs and WRITEs of each object while it is held (WRITEs
  // only if it is not shared), and their sizes.
  std::uint32_t reads = 0, writes = 0;
  std::uint32_t bytes = 0, write_bytes = 0;  // of each READ; of each WRITE, if different
  Duration longer = {};                      // added to the time for which it holds its locks
  // If any: what is read or written, once each, in place of the locks' objects.
  std::vector<PlacedBytes> places;
  std::uint32_t file_bytes = 0;  // that the section reads or writes
  // The section begins when its machine has counted so many sections; whether it is counted.
  std::uint64_t after = 0;
  bool counts = false;
};

class PartChooser {
 public:
  virtual ~PartChooser() = default;
  // Fills `wanted`, which has been cleared.
  virtual void next(ClientId client, SectionWanted& wanted) = 0;
  virtual std::uint32_t most_parts() const { return 1; }  // of any section
};

struct PartSetup {
  const WorkloadSpec& spec;
  std::uint64_t locks = 1;
  std::uint32_t first_client = 0;  // the first of `clients` consecutive ones
  std::uint32_t clients = 1;
  std::uint64_t seed = 1;
  // Client machines, all alike: clients on each, consecutively numbered.
  std::uint32_t clients_per_machine = 1;
  std::uint32_t machines = 1;  // all client machines of the run
};

// Null for workloads whose sections want locks that are drawn one by one, in one mode.
Result<std::unique_ptr<PartChooser>> make_parts(const PartSetup& setup);

}  // namespace latchlab
