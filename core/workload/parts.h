#pragma once
// Which part of which object a section wants, for kinds of workload that say more than which lock.
// Made once for some clients in a row; each client's choices follow from the seed and its number.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/protocols/lock.h"
#include "core/scenario/scenario.h"

namespace latchlab {

struct PartWanted {
  LockId lock;
  Extent extent;
  // Where the workload decides these itself: the mode, and how many bytes of the object are read
  // (in mode shared) or written meanwhile; 0: none.
  std::optional<LockMode> mode = std::nullopt;
  std::uint32_t bytes = 0;
};

class PartChooser {
 public:
  virtual ~PartChooser() = default;
  virtual PartWanted next(ClientId client) = 0;
};

struct PartSetup {
  const WorkloadSpec& spec;
  std::uint64_t locks = 1;
  std::uint32_t first_client = 0;  // and so many after it
  std::uint32_t clients = 1;
  std::uint64_t seed = 1;
};

// Null for workloads whose sections want whole objects.
Result<std::unique_ptr<PartChooser>> make_parts(const PartSetup& setup);

}  // namespace latchlab
