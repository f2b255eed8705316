#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/redlock_model/parts.h"

namespace latchlab::redlock {

namespace {
constexpr std::int64_t kMillion = 1'000'000;
constexpr Duration kLongestExtension = seconds(3'600);
constexpr std::uint32_t kMostSilentTries = 10;  // in a row

std::uint32_t majority_of(std::uint32_t masters) {
  if (PLANTED(redlock_model_half_is_a_quorum) && masters > 1) return masters / 2;
  return masters / 2 + 1;
}
}  // namespace

Duration Options::validity_of(Duration lifetime) const {
  if (PLANTED(redlock_model_ignores_drift)) return lifetime;
  return lifetime - Duration{lifetime.ps / kMillion * drift_factor_ppm} - drift_least;
}
Duration Options::lifetime_for(Duration needed) const {
  const Duration with_least = needed + drift_least;
  return with_least + Duration{with_least.ps / (kMillion - drift_factor_ppm) * drift_factor_ppm} +
         Duration{drift_factor_ppm};
}

Client::Client(const Options& options, const ClientEnv& env)
    : options_(options),
      verbs_(*env.verbs),
      servers_(env.peers->shape().servers),
      masters_(options.masters == Masters::all ? servers_ : 1),
      quorum_(majority_of(masters_)) {}

NodeId Client::master(RemoteAddr entry, std::uint32_t index) const {
  return NodeId{static_cast<std::uint16_t>((entry.node.value - 1U + index) % servers_ + 1U)};
}

Time Client::valid_until(Time begun, Duration lifetime) const {
  if (PLANTED(redlock_model_validity_from_the_answer)) begun = verbs_.now();
  if (options_.validity == Validity::ignored) return kNever;
  return begun + options_.validity_of(lifetime);
}

Task<Client::Votes> Client::ask(served::RequestType type, RemoteAddr entry, std::uint32_t value,
                                Duration lifetime) {
  Votes votes;
  const served::Asked asked(entry, {verbs_.client(), value}, LockMode::exclusive);
  const Request request = pack(type, asked, lifetime);
  for (std::uint32_t i = 0; i < masters_; ++i) {
    const bool timed = options_.call_timeout.ps > 0;
    const Time deadline = timed ? verbs_.now() + options_.call_timeout : kNever;
    const Reply reply = co_await verbs_.call(master(entry, i), request, deadline);
    if (!reply.ok()) used_ = true;  // the call may have been served, or may still be
    if (reply.status == VerbStatus::timed_out) {
      LATCHLAB_PATH("redlock_model: a call times out");
      ++votes.silent;
    } else if (!reply.ok()) {
      LATCHLAB_PATH("redlock_model: a master fails a call");
      ++votes.failed;
    } else if (reply.words[0] == served::kGranted) {
      ++votes.yes;
    }
  }
  co_return votes;
}

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  Grant grant(want);
  bool fresh = true;         // this try may have a new value
  std::uint64_t failed = 0;  // failed tries; counted only if `tries` is set
  std::uint32_t silent = 0;  // consecutive tries in which no majority answered
  verbs_.mark(Phase::initial_atomic);
  for (;;) {
    if (used_ && fresh) {
      ++value_;
      used_ = false;
    }
    fresh = options_.value == Value::per_try;
    grant.words[0] = value_;
    const Time begun = verbs_.now();
    const Votes votes = co_await ask(served::kAcquire, want.lock.entry, value_, options_.ttl);
    if (votes.yes >= quorum_) {
      grant.valid_until = valid_until(begun, options_.ttl);
      if (verbs_.now() < grant.valid_until) {
        used_ = true;
        co_return grant;
      }
      LATCHLAB_PATH("redlock_model: a grant is over before its client has it");
    }
    if (votes.yes > 0 && votes.yes < quorum_) LATCHLAB_PATH("redlock_model: masters are divided");
    const auto tried = static_cast<std::uint32_t>(grant.words[0]);
    const Votes undone = co_await ask(served::kRelease, want.lock.entry, tried, {});
    silent = too_many(votes.silent + votes.failed) ? silent + 1 : 0;
    if (too_many(votes.failed) || too_many(undone.failed) || silent == kMostSilentTries) {
      LATCHLAB_PATH("redlock_model: too many masters fail");
      co_return Aborted{AbortReason::server_failed};
    }
    if (verbs_.now() < options.deadline) co_await pause(options.deadline);
    if (verbs_.now() >= options.deadline) {
      LATCHLAB_PATH("redlock_model: a client gives up at its deadline");
      co_return Aborted{AbortReason::deadline};
    }
    if (options_.tries != 0 && ++failed >= options_.tries) {
      LATCHLAB_PATH("redlock_model: a client gives up after its tries");
      co_return Aborted{AbortReason::too_many};
    }
    LATCHLAB_PATH("redlock_model: a client tries again");
    verbs_.mark(Phase::retry);
  }
}

Task<void> Client::pause(Time deadline) {
  if (options_.retry_delay.ps == 0) co_return;
  const auto bound = static_cast<std::uint64_t>(options_.retry_delay.ps);
  const Duration drawn{static_cast<std::int64_t>(verbs_.random(bound))};
  const Duration length = std::min(drawn, time_until(deadline, verbs_.now()));
  if (length.ps > 0) co_await verbs_.sleep(length);
}

Task<ReleaseResult> Client::release(Grant grant) {
  const bool late = verbs_.now() >= grant.valid_until;
  const auto value = static_cast<std::uint32_t>(grant.words[0]);
  verbs_.mark(Phase::initial_atomic);
  const Votes votes = co_await ask(served::kRelease, grant.lock.entry, value, {});
  if (late) LATCHLAB_PATH("redlock_model: a holder leaves late");
  if (!late && votes.yes > 0) LATCHLAB_PATH("redlock_model: a holder leaves in time");
  if (!late && votes.yes + votes.silent + votes.failed == 0)
    LATCHLAB_PATH("redlock_model: a holder has lost its key");
  co_return late ? ReleaseResult::suppressed : ReleaseResult::released;
}

// Asks for ttl more than the extension needs, so that the call's round trip does not shorten it.
Task<AcquireResult> Client::extend(Grant grant, Duration longer) {
  const Duration wanted = std::min(longer, kLongestExtension);
  const Duration lifetime = options_.ttl + options_.lifetime_for(wanted);
  const auto value = static_cast<std::uint32_t>(grant.words[0]);
  const Time begun = verbs_.now();
  if (begun >= grant.valid_until) co_return Aborted{AbortReason::deadline};
  const Votes votes = co_await ask(kExtend, grant.lock.entry, value, lifetime);
  const bool in_time = verbs_.now() < grant.valid_until;
  if (votes.yes >= quorum_ && in_time) {
    LATCHLAB_PATH("redlock_model: a grant is extended");
    grant.valid_until = std::max(grant.valid_until, valid_until(begun, lifetime));
    co_return grant;
  }
  LATCHLAB_PATH("redlock_model: an extension fails");
  if (too_many(votes.failed)) co_return Aborted{AbortReason::server_failed};
  co_return Aborted{in_time ? AbortReason::recovered : AbortReason::deadline};
}

}  // namespace latchlab::redlock
