#pragma once
// Draws the lock that a client requests next. A chooser is made once, never changes, and is shared
// by all clients of a process; each client has its own random stream (StreamPurpose::keys).
//
//   uniform    every lock with the same probability
//   zipf       P(rank k) = k^-theta / H, exact for every theta in [0, 20] (power_law.h)
//   power_law  the same law by the name and range of DSLR A.4: alpha in (1, 20]; or, with `form:
//              continuous`, a continuous variable rounded down, as in the code of DSLR's authors
//   hotspot    hot_accesses of the draws fall on the first hot_locks of the locks
//
// Rank 1 is lock 0 and the next locks are the next hottest, unless `scramble` spreads the ranks by
// a permutation that depends on the seed only. The same spec, count, seed and stream give the same
// locks on every compiler and CPU.

#include <cstdint>
#include <memory>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

class KeyChooser {
 public:
  // 1 <= lock_count <= 2^48. Takes about 20 ms for a skewed distribution.
  static Result<std::unique_ptr<const KeyChooser>> make(const DistributionSpec& spec,
                                                        std::uint64_t lock_count,
                                                        std::uint64_t seed);
  virtual ~KeyChooser() = default;

  virtual std::uint64_t next(Rng& rng) const = 0;      // in [0, lock_count)
  virtual std::uint64_t hottest() const { return 0; }  // most popular; the first of equal ones
};

}  // namespace latchlab
