#pragma once
// What a section wants, for kinds of workload that say more than which lock. Made once for some
// clients in a row; each client's choices follow from the seed and its number.

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
  std::optional<LockMode> mode = std::nullopt;  // none: drawn as the workload has it
};

struct SectionWanted {
  SmallVector<PartWanted, 1> parts;  // as asked for; none: nothing is locked
  std::vector<LockId> lookups;       // objects that are read before that, without a lock
  // Where the workload decides it itself: READs and WRITEs of each object meanwhile (these only
  // where it is not shared), and of how many bytes.
  std::uint32_t reads = 0, writes = 0;
  std::uint32_t bytes = 0, write_bytes = 0;  // of each READ; of each WRITE, if other
  Duration longer = {};                      // it holds everything for so much longer
};

class PartChooser {
 public:
  virtual ~PartChooser() = default;
  // Fills in what was cleared.
  virtual void next(ClientId client, SectionWanted& wanted) = 0;
  virtual std::uint32_t most_parts() const { return 1; }  // of any section
};

struct PartSetup {
  const WorkloadSpec& spec;
  std::uint64_t locks = 1;
  std::uint32_t first_client = 0;  // and so many after it
  std::uint32_t clients = 1;
  std::uint64_t seed = 1;
  // Client machines, all alike: clients on each, in the order of their numbers.
  std::uint32_t clients_per_machine = 1;
};

// Null for workloads whose sections want locks drawn one by one, of one mode.
Result<std::unique_ptr<PartChooser>> make_parts(const PartSetup& setup);

}  // namespace latchlab
