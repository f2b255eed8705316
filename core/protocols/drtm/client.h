#pragma once
// The client part of DrTM's lock: a sequence of CASes, each of which expects what the last one
// found.

#include <cstdint>
#include <string>
#include <variant>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/lock.h"
#include "core/verbs/verbs.h"

namespace latchlab::drtm {

// DrTM's word and its decisions, as pure functions of the word read and of the time that the
// synchronised clock showed. drtm.h describes the switches. All times here are of the synchronised
// clock.

enum class Epoch : std::uint8_t { start, unix_truncated };
enum class ShortLease : std::uint8_t { extend, wait };
enum class Takeover : std::uint8_t { expired, not_valid };

struct Options {
  Duration lease = milliseconds(1);
  Duration delta = microseconds(50);
  Duration reserve = microseconds(500);
  unsigned lease_bits = 55;
  Epoch epoch = Epoch::start;
  ShortLease short_lease = ShortLease::extend;
  Takeover takeover = Takeover::expired;
  bool release_by_write = false;
  std::uint64_t timeout_tries = 0;
  Duration backoff_first = microseconds(10);
  Duration backoff_bound = milliseconds(10);

  // The margin on either side of a lease's end for a client that read a clock with this error: the
  // larger of delta and the error.
  Duration margin(Duration error) const;
};

// ---- the word ----

inline constexpr std::uint64_t kFree = 0;
bool is_locked(std::uint64_t word);
bool is_leased(std::uint64_t word);
std::uint64_t locked_by(ClientId owner);
// Rounds `end`, the lease's end, down to what the word can represent.
std::uint64_t leased_until(const Options& options, Time& end);
// The end as a client that compares it with the clock reads it.
Time lease_end(const Options& options, std::uint64_t word);
std::string decoded(const Options& options, std::uint64_t word);

// ---- decisions ----

// What to do about a word other than the expected one.
enum class Next : std::uint8_t { share, take, wait };

// What a client wants when it looks at the word.
struct Wish {
  bool shared = false;
  Duration needed;  // least that must be left of a lease to share it
  Time now;
  Time end;         // of the lease that would be installed
  Duration margin;  // Options::margin of the clock that showed `now`
};
Next judge(const Options& options, std::uint64_t word, const Wish& wish);

// Readers hold by a lease until valid_until; after taken_over_from another client may replace it.
Time valid_until(const Wish& wish, Time end);
Time taken_over_from(const Options& options, const Wish& wish, Time end);
// How long a reader tries with one end of its lease before it computes a new one. Of the usable
// part of a lease (its length less the margin) half is left when it is installed late, or `needed`
// if that is more. At least an eighth passes, so that the client does more than look at clocks.
Duration fresh_for(const Options& options, const Wish& wish);

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
