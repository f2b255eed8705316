#pragma once
// The micro workload: each client repeatedly draws locks and a mode, acquires, works, releases and
// thinks (ShiftLock 4.2; DSLR A.4), or does so when a section arrives. It has no end, except for a
// script of arrivals: the run ends at its date. Other kinds of workload differ only in what a
// section wants and does (parts.h).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/prefetch.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/measure/open_loop.h"
#include "core/scenario/scenario.h"
#include "core/workload/client_loop.h"
#include "core/workload/keys.h"
#include "core/workload/parts.h"
#include "core/workload/placement.h"

namespace latchlab {

// Draws a client's next lock where clients prefer locks of their own server (`workload.locality`):
// with that probability one of its own server's locks, otherwise one of another server, drawn
// uniformly; among the locks of a server by the distribution, whose rank 1 is the server's first
// lock.
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

// The sections of one client in an open loop: when they arrive, whether or not the client is free,
// and how many of them wait. Dates count from the client's start, on its own clock.
//
// If clients cannot carry the load, queues grow. The mean number of arrivals that wait in each half
// of the measured window shows this (waiting time in the half / its length).

// The dates of arrivals.
class ArrivalDates {
 public:
  // A Poisson process with this mean distance, from a random stream of its own.
  ArrivalDates(Rng rng, Duration mean);
  // The dates of the script, ascending.
  explicit ArrivalDates(std::vector<ScriptedArrival> script);

  bool over() const { return mean_.ps == 0 && index_ == script_.size(); }
  Duration at() const { return mean_.ps > 0 ? at_ : script_[index_].at; }
  const ScriptedArrival* scripted() const { return mean_.ps > 0 ? nullptr : &script_[index_]; }
  void advance();

 private:
  Rng rng_;
  Duration mean_;  // zero: a script
  Duration at_;
  std::vector<ScriptedArrival> script_;
  std::size_t index_ = 0;
};

class ArrivalQueue {
 public:
  // The window begins at `window_start` after the client's start.
  ArrivalQueue(ArrivalDates dates, Duration window_start, Duration window);

  struct Arrival {
    Duration at;
    std::optional<ScriptedArrival> scripted;
  };
  // The window begins at `start` instead of the date given before; all counts so far are dropped.
  void window_opens(Duration start);

  // The next section, for a client that is free at `now`; none: there are no more.
  std::optional<Arrival> take(Duration now);

  // Includes the arrivals that still wait at `now`, the end of the run.
  OpenLoopTally tally(Duration now) const;

 private:
  static void wait(OpenLoopTally& tally, const ArrivalQueue& queue, Duration from, Duration to);
  bool in_window(Duration at) const { return at >= start_ && at < end_; }

  ArrivalDates next_;
  ArrivalDates ahead_;         // as next_, but advanced past all arrivals so far
  std::uint64_t arrived_ = 0;  // how many ahead_ has passed
  std::uint64_t taken_ = 0;
  Duration start_, middle_, end_;
  Duration last_;  // the date of the last arrival that was taken
  OpenLoopTally tally_;
};

struct MicroSetup {
  WorkloadSpec spec;
  LockTableSpec locks;
  std::uint32_t servers = 1;
  std::uint32_t first_client = 0;  // the first of `clients` consecutive ones
  std::uint32_t clients = 1;
  std::uint64_t seed = 1;
  Duration window_start, window;      // for open loops
  std::int64_t skip_release_ppb = 0;  // how often a client omits a release (a fault)
  bool skipping_commits = true;       // a transaction that omits its releases has committed
  std::uint32_t clients_per_machine = 1, machines = 1;  // as in PartSetup
  std::function<LockRef(LockId)> find_lock;
  std::function<std::uint32_t(ClientId)> home;    // the client's own server, from 0: for locality
  std::function<Time(ClientId)> now;              // the client's clock: for open loops
  std::function<Time()> true_now;                 // for the end of sections
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
