#pragma once
// The micro workload: each client, again and again, draws a lock and a mode, acquires, holds,
// releases and thinks (ShiftLock 4.2; DSLR A.4). Endless: the run's date ends it.

#include <functional>
#include <memory>
#include <vector>

#include "core/base/prefetch.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/workload/client_loop.h"
#include "core/workload/keys.h"

namespace latchlab {

class MicroWorkload final : public OperationSource {
 public:
  using LockFinder = std::function<LockRef(LockId)>;

  // `skip_release_ppb`: how often a client forgets to release (a fault).
  static Result<std::unique_ptr<MicroWorkload>> make(const WorkloadSpec& spec,
                                                     std::uint64_t lock_count,
                                                     std::uint32_t clients, std::uint64_t seed,
                                                     std::int64_t skip_release_ppb,
                                                     LockFinder find_lock);

  void prefetch_client(ClientId client) const { prefetch(streams_[client.value]); }
  bool next(ClientId client, Section& section) override;

  // When this client starts: seeded, and spread over the time that clients think, so that they
  // neither march in step nor come in waves.
  Duration start_offset(ClientId client);

 private:
  struct Streams {
    Rng keys, modes;
  };
  MicroWorkload(const WorkloadSpec& spec, std::uint32_t clients, std::uint64_t seed,
                std::int64_t skip_release_ppb, LockFinder find_lock,
                std::unique_ptr<const KeyChooser> keys);

  WorkloadSpec spec_;
  std::uint64_t seed_;
  std::int64_t skip_release_ppb_;
  LockFinder find_lock_;
  std::unique_ptr<const KeyChooser> keys_;
  std::vector<Streams> streams_;
  std::vector<Rng> timing_;  // by client; empty when it decides about the start alone
  std::vector<Rng> faults_;  // by client; empty when nobody forgets a release
};

// Clients that do not think start within this time.
inline constexpr Duration kStartSpread = microseconds(10);

}  // namespace latchlab
