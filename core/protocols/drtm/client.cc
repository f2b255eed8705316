#include "core/protocols/drtm/client.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/paths.h"
#include "core/protocols/common/masks.h"
#include "core/protocols/common/planted.h"

namespace latchlab::drtm {

Client::Request Client::request_of(const Want& want, const AcquireOptions& options) const {
  Request request;
  request.want = want;
  request.deadline = options.deadline;
  request.needed = std::max(options_.reserve, options.expected_hold);
  request.shared = want.mode == LockMode::shared;
  request.word = locked_by(verbs_.client());
  return request;
}

Task<void> Client::look(Request& request) {
  request.look = co_await look_at_clocks(verbs_);
  if (!request.shared) co_return;
  request.end = request.look.common + options_.lease;
  request.word = leased_until(options_, request.end);
}

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  Request request = request_of(want, options);
  if (request.shared) co_await look(request);
  verbs_.mark(Phase::initial_atomic);
  Completion answer = co_await swap(request);
  for (;;) {
    if (!answer.ok()) {
      LATCHLAB_PATH("drtm: the server fails an acquire");
      co_return Aborted{AbortReason::server_failed};
    }
    std::uint64_t seen = answer.value.lo;
    if (seen == request.expected) {
      const Grant grant = taken(request);
      if (verbs_.now() < grant.valid_until) {
        failures_.succeeded(request.want.lock.id);
        co_return grant;
      }
      LATCHLAB_PATH("drtm: a lease is over before its reader has it");
      seen = request.word;
    }
    ++request.failed;
    const Answer next = co_await after(request, seen);
    if (const auto* const result = std::get_if<AcquireResult>(&next)) co_return *result;
    answer = std::get<Completion>(next);
  }
}

// A writer's grant has no end; a reader's ends with its lease, less the margin.
Grant Client::taken(const Request& request) {
  if (!request.shared) {
    if (request.expected == kFree) LATCHLAB_PATH("drtm: a writer takes a free word");
    if (request.expected != kFree) LATCHLAB_PATH("drtm: a writer takes over a lease");
    return Grant(request.want);
  }
  if (request.expected == kFree) LATCHLAB_PATH("drtm: a reader installs a lease");
  if (request.expected != kFree) LATCHLAB_PATH("drtm: a reader replaces a lease");
  Grant grant(request.want, LockMode::shared);
  grant.valid_until =
      request.look.own_at_earliest(valid_until(request.wish(options_), request.end));
  if (PLANTED(drtm_lease_from_the_answer))
    grant.valid_until = verbs_.now() + options_.lease - options_.margin(request.look.error);
  if (PLANTED(drtm_grant_outlives_lease)) grant.valid_until = kNever;
  return grant;
}

Grant Client::shared(const Request& request, std::uint64_t word) const {
  Grant grant(request.want, LockMode::shared);
  const Time end = valid_until(request.wish(options_), lease_end(options_, word));
  grant.valid_until = request.look.own_at_earliest(end);
  return grant;
}

Task<Client::Answer> Client::after(Request& request, std::uint64_t seen) {
  const bool expired = std::exchange(request.expired, false);
  if (request.shared || (is_leased(seen) && !expired)) co_await look(request);
  Next next = expired ? Next::take : judge(options_, seen, request.wish(options_));
  while (next == Next::share) {
    const Grant grant = shared(request, seen);
    if (verbs_.now() < grant.valid_until) {
      LATCHLAB_PATH("drtm: a reader shares a lease");
      failures_.succeeded(request.want.lock.id);
      co_return AcquireResult{grant};
    }
    LATCHLAB_PATH("drtm: a lease is over before its sharer has looked at the clocks");
    co_await look(request);
    next = judge(options_, seen, request.wish(options_));
  }
  if (request.failed == 1) verbs_.mark(Phase::retry);
  request.expected = next == Next::take ? seen : kFree;
  if (verbs_.now() >= request.deadline) {
    LATCHLAB_PATH("drtm: a client gives up between two tries");
    co_return AcquireResult{Aborted{AbortReason::deadline}};
  }
  if (options_.timeout_tries > 0) {
    if (request.failed >= options_.timeout_tries) {
      LATCHLAB_PATH("drtm: a client backs off after its tries");
      co_await failures_.pause(verbs_, request.want.lock.id, request.deadline);
      co_return AcquireResult{Aborted{AbortReason::too_many}};
    }
  } else if (next == Next::wait) {
    co_return co_await retry(request, seen);
  }
  const Completion answer = co_await swap(request);
  co_return answer;
}

// CAS(0 -> mine) until it succeeds, finds another word, or the clock changes what the word means: a
// lease may be taken over, or the reader's own lease has become short.
Task<Client::Answer> Client::retry(Request& request, std::uint64_t seen) {
  RemoteWait wait;
  wait.add(cas_verb(request.want.lock.entry, kFree, request.word));
  wait.classify = [seen](const ProbeValues& before) {
    const std::uint64_t word = before[0].lo;
    if (word == kFree) return Verdict::done;
    const bool same = word == seen || (is_locked(word) && is_locked(seen));
    return same ? Verdict::pending : Verdict::abandon;
  };
  wait.first_seen.lo = seen;
  wait.deadline = request.deadline;
  Time expires = kNever;  // the lease that was seen, on this client's clock
  if (is_leased(seen)) {
    const Time from = taken_over_from(options_, request.wish(options_), lease_end(options_, seen));
    expires = request.look.own_at_latest(from + nanoseconds(1));
    wait.deadline = std::min(wait.deadline, expires);
    if (request.shared) LATCHLAB_PATH("drtm: a reader waits for a lease");
    if (!request.shared) LATCHLAB_PATH("drtm: a writer waits for a lease");
  } else {
    if (request.shared) LATCHLAB_PATH("drtm: a reader waits for a writer");
    if (!request.shared) LATCHLAB_PATH("drtm: a writer waits for a writer");
  }
  if (request.shared) {
    const Duration length = fresh_for(options_, request.wish(options_));
    wait.deadline = std::min(wait.deadline, request.look.before + length);
  }
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end == WaitEnd::deadline) {
    if (verbs_.now() >= request.deadline) {
      LATCHLAB_PATH("drtm: a client gives up at its deadline");
      co_return AcquireResult{Aborted{AbortReason::deadline}};
    }
    LATCHLAB_PATH("drtm: the clock ends a wait");
    request.expired = verbs_.now() >= expires;
    co_return Completion{VerbStatus::ok, {seen, 0}};
  }
  if (end.end == WaitEnd::failed) co_return Completion{end.status, {}};
  co_return Completion{VerbStatus::ok, end.values[0]};
}

Task<ReleaseResult> Client::release(Grant grant) {
  if (grant.mode == LockMode::shared) {
    const bool late = verbs_.now() >= grant.valid_until;
    if (late) LATCHLAB_PATH("drtm: a reader leaves late");
    if (!late) LATCHLAB_PATH("drtm: a reader leaves within its lease");
    if (PLANTED(drtm_reader_frees_the_word)) co_await verbs_.write(grant.lock.entry, kFree);
    co_return late ? ReleaseResult::suppressed : ReleaseResult::released;
  }
  verbs_.mark(Phase::initial_atomic);
  if (options_.release_by_write) {
    LATCHLAB_PATH("drtm: a WRITE frees the word");
    co_await verbs_.write(grant.lock.entry, kFree);
  } else {
    LATCHLAB_PATH("drtm: a CAS frees the word");
    co_await verbs_.compare_swap(grant.lock.entry, locked_by(verbs_.client()), kFree);
  }
  co_return ReleaseResult::released;
}

namespace {

constexpr std::uint64_t kLockBit = 1;
constexpr unsigned kOwnerShift = 1;
constexpr unsigned kOwnerBits = 8;
constexpr unsigned kLeaseShift = kOwnerShift + kOwnerBits;
constexpr std::int64_t kPsPerNs = 1'000;
// The artifact's clock at the start of a run: 2025-01-01, in nanoseconds.
constexpr std::uint64_t kUnixStart = 1'735'689'600'000'000'000;
constexpr Time kLongAgo{-(1LL << 62)};

}  // namespace

Duration Options::margin(Duration error) const {
  return PLANTED(drtm_no_margin) ? Duration{} : std::max(delta, error);
}

bool is_locked(std::uint64_t word) {
  return (word & kLockBit) != 0;
}
bool is_leased(std::uint64_t word) {
  return word != kFree && !is_locked(word);
}
std::uint64_t locked_by(ClientId owner) {
  return kLockBit | (owner.value & field_mask(0, kOwnerBits)) << kOwnerShift;
}

std::uint64_t leased_until(const Options& options, Time& end) {
  const std::int64_t ns = end.ps / kPsPerNs;
  LATCHLAB_CHECK(ns > 0, "the synchronised clock counts from the start of the run");
  end = Time{ns * kPsPerNs};
  const std::uint64_t mask = field_mask(0, options.lease_bits);
  const auto since_start = static_cast<std::uint64_t>(ns);
  if (options.epoch == Epoch::unix_truncated)
    return ((kUnixStart + since_start) & mask) << kLeaseShift;
  LATCHLAB_CHECK(since_start <= mask,
                 "a lease of drtm ends later than its word can say; give the word more lease_bits");
  return since_start << kLeaseShift;
}

Time lease_end(const Options& options, std::uint64_t word) {
  if (options.epoch == Epoch::unix_truncated) return kLongAgo;  // all ends precede kUnixStart
  const std::uint64_t ns = field_of(word, kLeaseShift, options.lease_bits);
  return Time{static_cast<std::int64_t>(ns) * kPsPerNs};
}

std::string decoded(const Options& options, std::uint64_t word) {
  if (word == kFree) return "free";
  const std::uint64_t owner = field_of(word, kOwnerShift, kOwnerBits);
  if (is_locked(word)) return "locked by client " + std::to_string(owner) + " (modulo 256)";
  const std::uint64_t ns = field_of(word, kLeaseShift, options.lease_bits);
  return "leased until " + std::to_string(ns) + " ns";
}

Next judge(const Options& options, std::uint64_t word, const Wish& wish) {
  if (word == kFree) return Next::take;
  if (is_locked(word)) return Next::wait;
  const Time end = lease_end(options, word);
  if (wish.shared && wish.now + wish.needed < valid_until(wish, end)) return Next::share;
  if (wish.now > taken_over_from(options, wish, end)) {
    LATCHLAB_PATH("drtm: a lease has expired");
    return Next::take;
  }
  if (!wish.shared) return PLANTED(drtm_writer_ignores_leases) ? Next::take : Next::wait;
  if (options.short_lease == ShortLease::wait || wish.end <= end) return Next::wait;
  LATCHLAB_PATH("drtm: a reader extends a lease");
  return Next::take;
}

Time valid_until(const Wish& wish, Time end) {
  return end - wish.margin;
}
Time taken_over_from(const Options& options, const Wish& wish, Time end) {
  const bool early = options.takeover == Takeover::not_valid && !wish.shared;
  return early ? end - wish.margin : end + wish.margin;
}

Duration fresh_for(const Options& options, const Wish& wish) {
  const Duration usable = std::max(options.lease - wish.margin, Duration{});
  return std::clamp(usable - wish.needed, usable / 8, usable / 2);
}

}  // namespace latchlab::drtm
