#pragma once
// The client part of DrTM's lock: a sequence of CASes, each of which expects what the last one
// found.

#include <cstdint>
#include <variant>

#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/drtm/rules.h"
#include "core/protocols/lock.h"
#include "core/verbs/verbs.h"

namespace latchlab::drtm {

// Converts dates of the synchronised clock to dates of the own node's clock, and says in which
// direction such a date may err.

// A reading of the synchronised clock, between two readings of the own one.
struct ClockLook {
  Time before;     // own
  Time common;     // synchronised, at a moment in between
  Time after;      // own
  Duration error;  // common is at most this far from the true date

  // own_at_earliest: when the own clock shows it, the synchronised one shows `date` or less; for a
  // right that ends at `date`. own_at_latest: `date` or more; for a right that begins then. Both
  // hold up to the synchronisation error (`error`) and to how far the two clocks drift apart after
  // the reading: the caller adds a margin for that.
  Time own_at_earliest(Time date) const { return saturating_add(before, date - common); }
  Time own_at_latest(Time date) const { return saturating_add(after, date - common); }
};

inline Task<ClockLook> look_at_clocks(Verbs& verbs) {
  ClockLook look;
  look.before = verbs.now();
  const SynchronisedTime shown = co_await verbs.synchronised_now();
  look.common = shown.date;
  look.error = shown.error;
  look.after = verbs.now();
  co_return look;
}

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        failures_(options.backoff_first, options.backoff_bound) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  // An acquisition in progress.
  struct Request {
    Want want;
    Time deadline;
    Duration needed;
    bool shared = false;
    ClockLook look;              // the latest one
    Time end;                    // of the lease that this client would install
    std::uint64_t word = 0;      // that this client would install
    std::uint64_t expected = 0;  // by the latest CAS
    std::uint64_t failed = 0;    // number of failed CASes
    bool expired = false;        // the lease seen last expired during the wait

    Wish wish(const Options& options) const {
      return {shared, needed, look.common, end, options.margin(look.error)};
    }
  };

  Request request_of(const Want& want, const AcquireOptions& options) const;
  // Looks at the clocks, and computes a reader's lease from that look.
  Task<void> look(Request& request);
  VerbAwait swap(const Request& request) {
    return verbs_.compare_swap(request.want.lock.entry, request.expected, request.word);
  }
  // Called when the CAS has found `seen` instead. The answer is that of the next CAS or wait, or
  // the end of the acquisition.
  using Answer = std::variant<Completion, AcquireResult>;
  Task<Answer> after(Request& request, std::uint64_t seen);
  Task<Answer> retry(Request& request, std::uint64_t seen);
  Grant taken(const Request& request);
  Grant shared(const Request& request, std::uint64_t word) const;

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  FailureBackoff failures_;
};

}  // namespace latchlab::drtm
