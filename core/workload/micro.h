#pragma once
// The micro workload: each client repeatedly draws locks and a mode, acquires, works, releases and
// thinks (ShiftLock 4.2; DSLR A.4), or does so when a section arrives. It has no end, except for a
// script of arrivals: the run ends at its date. Other kinds of workload differ only in what a
// section wants and does (parts.h).

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/prefetch.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/workload/arrival_queue.h"
#include "core/workload/client_loop.h"
#include "core/workload/keys.h"
#include "core/workload/local_keys.h"
#include "core/workload/parts.h"

namespace latchlab {

struct MicroSetup {
  WorkloadSpec spec;
  LockTableSpec locks;
  std::uint32_t servers = 1;
  std::uint32_t first_client = 0;  // the first of `clients` consecutive ones
  std::uint32_t clients = 1;
  std::uint64_t seed = 1;
  Duration window_start, window;      // for open loops
  std::int64_t skip_release_ppb = 0;  // how often a client omits a release (a fault)
  std::uint32_t clients_per_machine = 1, machines = 1;  // as in PartSetup
  std::function<LockRef(LockId)> find_lock;
  std::function<std::uint32_t(ClientId)> home;    // the client's own server, from 0: for locality
  std::function<Time(ClientId)> now;              // the client's clock: for open loops
  std::function<RemoteAddr(LockId)> find_object;  // for remote_ops and files, as find_buffer
  std::function<RemoteAddr(ClientId)> find_buffer;
  std::function<RemoteAddr(std::uint32_t)> find_data;  // on a client machine: for files
  std::function<RemoteAddr(ClientId)> find_counter;    // of the client's machine: for files
};

class MicroWorkload final : public OperationSource {
 public:
  static Result<std::unique_ptr<MicroWorkload>> make(MicroSetup setup);

  void prefetch_client(ClientId client) const { prefetch(streams_[place_of(client)]); }
  bool next(ClientId client, Section& section) override;
  std::uint32_t held_at_once() const override {
    return parts_ ? parts_->most_parts() : setup_.spec.locks_per_section;
  }
  RemoteAddr object_of(LockId lock) const override { return setup_.find_object(lock); }
  RemoteAddr buffer_of(ClientId client) const override { return setup_.find_buffer(client); }

  LockId hottest() const;  // the most popular lock; the first of equal ones

  // When this client starts: drawn from the seed, spread over the think time, so that clients
  // neither run in lockstep nor start in bursts. Zero in an open loop.
  Duration start_offset(ClientId client);

  // The window of the client's open loop begins `now`, on its clock, not at the date given before.
  void window_opens(ClientId client, Time now);

  // Called after the run, which ended `now` on the client's clock. Empty for a closed loop.
  OpenLoopTally tally(ClientId client, Time now) const;

 private:
  struct Streams {
    Rng keys, modes;
  };
  struct Arrivals {
    ArrivalQueue queue;
    std::optional<Time> start;  // the client's, on its clock
  };
  explicit MicroWorkload(MicroSetup setup);
  std::size_t place_of(ClientId client) const { return client.value - setup_.first_client; }
  void make_arrivals();
  LockId draw_lock(ClientId client, Rng& rng) const;
  void draw_wants(ClientId client, Section& section);
  void draw_mode(Streams& streams, Section& section) const;
  void draw_parts(ClientId client, Section& section);
  bool take_arrival(ClientId client, Section& section);
  void add_work(Section& section) const;

  MicroSetup setup_;
  std::unique_ptr<PartChooser> parts_;      // null: draw whole objects by keys_ or local_keys_
  SectionWanted wanted_;                    // filled by parts_, for the section being made
  std::unique_ptr<const KeyChooser> keys_;  // without locality
  std::optional<LocalKeys> local_keys_;     // with locality
  std::vector<Streams> streams_;            // by client from the first, as those below
  std::vector<Rng> timing_;                 // empty if used for the start only
  std::vector<Rng> faults_;                 // empty if no client omits a release
  std::vector<Arrivals> arrivals_;          // empty: a closed loop
};

// Clients without think time start within this time.
inline constexpr Duration kStartSpread = microseconds(10);

}  // namespace latchlab
