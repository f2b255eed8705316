#pragma once
// The client part of DSLR: acquiring and releasing (client.cc), and what is done when tickets run
// out or nobody moves (recovery.cc).

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
  Task<ReleaseResult> release(Grant grant) override;
  std::uint64_t recoveries() const override { return recoveries_; }

 private:
  // ResetFrom: the holder of an era's last ticket sets the entry to zero once the counters served
  // have reached these values.
  struct Duty {
    bool mine = false;
    std::uint32_t nx = 0;
    std::uint32_t ns = 0;
  };

  Counter next_ticket(LockMode mode) const {
    return mode == LockMode::shared ? Counter::max_s : Counter::max_x;
  }
  Counter served(LockMode mode) const {
    return mode == LockMode::shared ? Counter::ns : Counter::nx;
  }
  Grant grant_of(const Want& want, LockMode mode, const Tickets& seen);
  static Duty duty_of(const Grant& grant);
  Task<AcquireResult> handle_conflict(Want want, Ticket ticket, Tickets seen);
  Task<AcquireResult> fail(AbortReason reason);

  // No progress for two leases, last seen as `seen`. True: this client has repaired the lock.
  Task<bool> repair(LockRef lock, Ticket ticket, Tickets seen);
  // Took a ticket at `seen` although there are none left. A value: the acquisition ends with it;
  // none: tickets are to be had again.
  Task<std::optional<Aborted>> sit_out(LockRef lock, Ticket ticket, Tickets seen);
  Task<std::optional<Aborted>> undo_ticket(LockRef lock, Ticket ticket, Tickets seen);
  Task<std::optional<Aborted>> wait_for_new_era(LockRef lock, Ticket ticket);
  Task<void> reset_when_stuck(LockRef lock, Ticket ticket, Tickets seen);
  Task<void> end_era(LockRef lock, Duty duty, Tickets seen);
  Task<void> swap_until_zero(LockRef lock, Tickets from);
  Task<bool> swap(LockRef lock, Tickets from, Tickets to);

  Options options_;
  Verbs& verbs_;
  FailureBackoff failures_{options_.backoff_first, options_.backoff_bound};
  std::uint64_t recoveries_ = 0;

  struct Failure {  // the last time that no ticket could be had
    LockId lock;
    Tickets seen;
    Time since;  // when the counters served were first seen like this
    bool any = false;
  };
  Failure failure_;
};

}  // namespace latchlab::dslr
