#pragma once
// Which lock a client asks for where it prefers those of its own node (`workload.locality`): with
// that probability one of its own server's locks, else one of another server's, each of those as
// likely; among the locks of a server by the distribution, whose rank 1 is the server's first lock.

#include <cstdint>
#include <memory>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/workload/keys.h"
#include "core/workload/placement.h"

namespace latchlab {

class LocalKeys {
 public:
  // Every server has a lock, and unless locality is 1 there are two servers.
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
  // Servers differ by at most one lock.
  std::uint64_t fewest_ = 0;
  std::unique_ptr<const KeyChooser> among_fewest_;
  std::unique_ptr<const KeyChooser> among_one_more_;
};

}  // namespace latchlab
