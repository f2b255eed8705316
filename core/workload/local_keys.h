#pragma once
// Draws a client's next lock where clients prefer locks of their own server (`workload.locality`):
// with that probability one of its own server's locks, otherwise one of another server, drawn
// uniformly; among the locks of a server by the distribution, whose rank 1 is the server's first
// lock.

#include <cstdint>
#include <memory>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/workload/keys.h"
#include "core/workload/placement.h"

namespace latchlab {

class LocalKeys {
 public:
  // Every server has a lock, and there are at least two servers unless locality is 1.
  static Result<LocalKeys> make(const DistributionSpec& spec, const LockTableSpec& locks,
                                std::uint32_t servers, std::int64_t locality_ppb,
                                std::uint64_t seed);

  // For a client on server `home`, from 0.
  LockId next(Rng& rng, std::uint32_t home) const;
  LockId hottest() const;  // the most popular of the first server

 private:
  LocalKeys(const LockTableSpec& locks, std::uint32_t servers, std::int64_t locality_ppb)
      : placement_(locks, servers), servers_(servers), locality_ppb_(locality_ppb) {}

  Placement placement_;
  std::uint32_t servers_;
  std::int64_t locality_ppb_;
  // The numbers of locks on servers differ by at most one.
  std::uint64_t fewest_ = 0;
  std::unique_ptr<const KeyChooser> among_fewest_;
  std::unique_ptr<const KeyChooser> among_one_more_;
};

}  // namespace latchlab
