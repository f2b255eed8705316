#pragma once
// The micro workload: each client, again and again, draws a lock and a mode, acquires, holds,
// releases and thinks (ShiftLock 4.2; DSLR A.4). Endless: the run's date ends it.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/prefetch.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/workload/client_loop.h"
#include "core/workload/keys.h"
#include "core/workload/local_keys.h"

namespace latchlab {

struct MicroSetup {
  WorkloadSpec spec;
  LockTableSpec locks;
  std::uint32_t servers = 1;
  std::uint32_t first_client = 0;  // and so many after it
  std::uint32_t clients = 1;
  std::uint64_t seed = 1;
  std::int64_t skip_release_ppb = 0;  // how often a client forgets to release (a fault)
  std::function<LockRef(LockId)> find_lock;
  std::function<std::uint32_t(ClientId)> home;  // the client's own server, from 0: for locality
};

class MicroWorkload final : public OperationSource {
 public:
  static Result<std::unique_ptr<MicroWorkload>> make(MicroSetup setup);

  void prefetch_client(ClientId client) const { prefetch(streams_[place_of(client)]); }
  bool next(ClientId client, Section& section) override;

  LockId hottest() const;  // the most popular lock, of equals the first

  // When this client starts: seeded, and spread over the time that clients think, so that they
  // neither march in step nor come in waves.
  Duration start_offset(ClientId client);

 private:
  struct Streams {
    Rng keys, modes;
  };
  explicit MicroWorkload(MicroSetup setup);
  std::size_t place_of(ClientId client) const { return client.value - setup_.first_client; }
  LockId draw_lock(ClientId client, Rng& rng) const;

  MicroSetup setup_;
  std::unique_ptr<const KeyChooser> keys_;  // without locality
  std::optional<LocalKeys> local_keys_;     // with it
  std::vector<Streams> streams_;            // by client from the first, and so below
  std::vector<Rng> timing_;                 // empty when it decides about the start alone
  std::vector<Rng> faults_;                 // empty when nobody forgets a release
};

// Clients that do not think start within this time.
inline constexpr Duration kStartSpread = microseconds(10);

}  // namespace latchlab
