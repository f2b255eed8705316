#pragma once
// N-CoSED's client part: acquiring in acquire.cc, releasing in release.cc.

#include <cstdint>
#include <memory>

#include "core/base/time.h"
#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/lock.h"
#include "core/protocols/n_cosed/word.h"
#include "core/verbs/batch.h"

namespace latchlab::n_cosed {

struct Options {
  bool home_reset = true;
  std::uint64_t shared_limit = 1ULL << 31;  // 0: none
  std::uint32_t max_held = 16;
  Duration timeout = {};  // 0: none
  Duration backoff_first = microseconds(10);
  Duration backoff_bound = milliseconds(10);
};

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        peers_(*env.peers),
        inbox_(env.endpoint),
        me_(owner_of(verbs_.client())) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  struct Attempt {
    LockRef lock;
    std::uint32_t generation = 0;
    ZeroPadding<std::uint32_t, 1> padding = {};
  };
  enum class Joined : std::uint8_t { queued, too_late, failed };
  struct JoinResult {
    Word found;  // what the writer's CAS replaced
    Joined how = Joined::queued;
    ZeroPadding<std::uint8_t, 3> padding = {};
  };
  // Where readers report that they have released.
  struct Listener {
    Owner writer = 0;  // 0: the home
    std::uint32_t generation = 0;
  };

  // ---- acquire.cc ----
  Task<AcquireResult> acquire_shared(Want want, Attempt attempt, AcquireOptions options);
  Task<AcquireResult> acquire_exclusive(Want want, Attempt attempt, AcquireOptions options);
  Task<JoinResult> join(LockRef lock, AcquireOptions options);
  Task<AcquireResult> give_up(LockId lock, Time deadline);
  Task<Message> ask(MessageType type, Attempt attempt, Word found);
  Task<void> await_releases(Attempt attempt, std::uint64_t readers);

  // ---- release.cc ----
  Task<ReleaseResult> leave_as_reader(LockRef lock, Listener listener);
  Task<ReleaseResult> leave_as_writer(LockRef lock);
  Task<void> hand_on(LockRef lock, Message successor);
  Task<void> let_in(LockRef lock, std::uint64_t readers, Listener listener, Batch& grants);
  Task<void> leave_to_home(LockRef lock, std::uint64_t readers);
  CallAwait tell_home(RequestType type, LockRef lock, std::uint64_t readers = 0);

  EndpointAddr endpoint(std::uint64_t owner) const {
    return peers_.endpoint_of(client_of(static_cast<Owner>(owner)));
  }

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  const Peers& peers_;
  EndpointAddr inbox_;
  Owner me_;
  std::uint32_t generation_ = 0;  // number of this client's latest acquisition
  FailureBackoff timeouts_{options_.backoff_first, options_.backoff_bound};
};

// N-CoSED's server part: counts the readers that have released a lock and have no writer to report
// to.

std::unique_ptr<ServerPart> make_home(const Options& options);  // `options` outlives the result

}  // namespace latchlab::n_cosed
