#pragma once
// The client part of DSLR: acquiring and releasing (client.cc), upgrading (upgrade.cc), and
// recovery when tickets run out or the counters do not change (recovery.cc).

#include <cstdint>
#include <optional>

#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/dslr/rules.h"
#include "core/protocols/lock.h"

namespace latchlab::dslr {

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env) : options_(options), verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<AcquireResult> upgrade(Grant grant, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;
  std::uint64_t recoveries() const override { return recoveries_; }

 private:
  // When an acquisition looked at the word, on the client's own clock: no later than its READs, or
  // its first FAA, were posted.
  struct Looks {
    const Verbs& verbs;
    Time last;
    Time last_but_one = last;

    void next() {
      last_but_one = last;
      last = verbs.now();
    }
  };

  LockMode mode_of(const Want& want) const;
  // `not_yet`: a time before this ticket's turn. None: the grant would already be over.
  std::optional<Grant> enter(const Want& want, const Ticket& ticket, const Tickets& seen,
                             Time not_yet);
  Task<AcquireResult> handle_conflict(Want want, Ticket ticket, Tickets seen, Time asked);
  Task<AcquireResult> wait_for_readers(Grant grant, Ticket ticket, Time deadline);
  Task<AcquireResult> fail(LockId lock, AbortReason reason);

  // No progress for two leases, last seen as `seen`. Returns true if this client repaired the lock.
  Task<bool> repair(LockRef lock, Ticket ticket, Tickets seen);
  // After the lease: serves the ticket unless the lock has been repaired. Returns the counters
  // after that; none: nothing was changed.
  Task<std::optional<Tickets>> serve_late(LockRef lock, Ticket ticket, Time valid_until);
  // Took a ticket at `seen` although none were left. A value: the acquisition ends with it; none:
  // there are tickets again.
  Task<std::optional<Aborted>> sit_out(LockRef lock, Ticket ticket, Tickets seen);
  Task<std::optional<Aborted>> undo_ticket(LockRef lock, Ticket ticket, Tickets seen);
  Task<std::optional<Aborted>> wait_for_new_era(LockRef lock, Ticket ticket, Tickets seen);
  Task<void> reset_when_stuck(LockRef lock, Ticket ticket, Tickets seen);
  // ResetFrom: the owner of an era's last ticket sets the entry to zero once the counters served
  // have reached the values of `from`.
  Task<void> end_era(LockRef lock, Tickets from, Tickets seen);
  Task<void> wait_and_end_era(LockRef lock, Tickets from, Tickets seen);
  Task<bool> swap(LockRef lock, Tickets from, Tickets to);

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  FailureBackoff failures_{options_.backoff_first, options_.backoff_bound};
  std::uint64_t recoveries_ = 0;

  struct Failure {  // the latest time that no ticket was left
    LockId lock;
    Tickets seen;
    Time since;  // when the counters served were first seen like this
    bool any = false;
  };
  Failure failure_;
};

}  // namespace latchlab::dslr
