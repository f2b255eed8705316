#include "core/workload/local_keys.h"

#include <utility>

#include "core/base/check.h"
#include "core/workload/timing.h"

namespace latchlab {

Result<LocalKeys> LocalKeys::make(const DistributionSpec& spec, const LockTableSpec& locks,
                                  std::uint32_t servers, std::int64_t locality_ppb,
                                  std::uint64_t seed) {
  LATCHLAB_CHECK(locks.placement != PlacementKind::node && locks.count >= servers,
                 "locality where a server has no lock");
  LATCHLAB_CHECK(servers > 1 || locality_ppb >= 1'000'000'000, "locality without other servers");
  LocalKeys keys(locks, servers, locality_ppb);
  keys.fewest_ = locks.count / servers;
  auto fewest = KeyChooser::make(spec, keys.fewest_, seed);
  if (!fewest) return fewest.error();
  keys.among_fewest_ = std::move(fewest).value();
  if (locks.count % servers == 0) return keys;
  auto one_more = KeyChooser::make(spec, keys.fewest_ + 1, seed);
  if (!one_more) return one_more.error();
  keys.among_one_more_ = std::move(one_more).value();
  return keys;
}

LockId LocalKeys::next(Rng& rng, std::uint32_t home) const {
  std::uint64_t server = home;
  if (!happens(rng, locality_ppb_)) {
    server = rng.below(servers_ - 1);
    if (server >= home) ++server;
  }
  const bool few = placement_.locks_on(server) == fewest_;
  return placement_.lock_at({server, (few ? among_fewest_ : among_one_more_)->next(rng)});
}

LockId LocalKeys::hottest() const {
  const bool few = placement_.locks_on(0) == fewest_;
  return placement_.lock_at({0, (few ? among_fewest_ : among_one_more_)->hottest()});
}

}  // namespace latchlab
