#pragma once
// The client part of dslr_plus.

#include <cstdint>

#include "core/protocols/common/backoff.h"
#include "core/protocols/dslr/rules.h"
#include "core/protocols/lock.h"

namespace latchlab::dslr_plus {

struct Options : dslr::Options, AdaptiveBackoffOptions {
  Options();
  bool rejoin_early = true;    // rejoin when there is one ticket, otherwise when there are two
  bool rejoin_checked = true;  // the ticket taken then is checked like any other
};

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), adaptive_(options) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  Grant enter(const Want& want, const dslr::Ticket& ticket) const;
  Task<AcquireResult> back_off(Want want, dslr::Ticket ticket);
  // False: the server fails.
  Task<bool> undo_and_rejoin(LockRef lock, dslr::Ticket ticket);
  bool may_rejoin(const dslr::Tickets& now) const;

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  AdaptiveBackoff adaptive_;
};

}  // namespace latchlab::dslr_plus
