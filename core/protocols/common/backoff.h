#pragma once
// Pauses between tries. Each is a pure function of the try's number and of a salt drawn once per
// wait, so that it can be passed to RemoteWait::pacing and returns the same pause however often it
// is called.

#include <algorithm>
#include <cstdint>

#include "core/verbs/verbs.h"

namespace latchlab {

// A separate type, so that a salt cannot be passed as the number of a try.
struct Salt {
  std::uint64_t value = 0;
};

// Uniform in [0, bound), from a salt and a counter; zero when bound is.
inline Duration jitter(Duration bound, Salt salt, std::uint64_t count) {
  if (bound.ps <= 0) return {};
  const Wide product =
      static_cast<Wide>(hash_of(salt.value, count)) * static_cast<std::uint64_t>(bound.ps);
  return Duration{static_cast<std::int64_t>(product >> 64)};
}

// Binary exponential random backoff: the pause before try c = 1, 2, .. is uniform in
// [0, min(first * 2^(c-1), bound)) (DSLR, appendix A.3).
inline Duration random_backoff(Duration first, Duration bound, std::uint64_t consecutive,
                               Salt salt) {
  const std::uint64_t shift = consecutive > 0 ? consecutive - 1 : 0;
  return jitter(doubled(first, shift, bound), salt, consecutive);
}

struct AdaptiveBackoffOptions {
  Duration initial = nanoseconds(1862);  // t0
  std::uint64_t cap_shift = 10;          // no pause is longer than t0 << cap_shift, plus jitter
  Duration interval = milliseconds(1);   // the bound moves at most this often ...
  std::uint64_t every_operations = 1;    // ... and only after this many acquisitions
  std::uint64_t low_percent = 10;        // below this share of retries the bound halves
  std::uint64_t high_percent = 50;       // above it doubles

  // For other ports of it.
  Duration longest_jitter = {};     // zero: t0
  bool starts_at_cap = false;       // the bound starts at the cap, not at t0
  bool lifetime_share = false;      // the share of retries since the start, not since the last look
  std::uint64_t forgets_after = 0;  // only so many retries of a wait double the pause; 0: all

  Duration cap() const { return doubled(initial, cap_shift, kForever); }
};

// Truncated exponential backoff whose bound follows the share of retries (SMART, as ported in the
// ShiftLock artifact). Retry k = 0, 1, .. waits min(bound, t0 << k) plus a jitter.
class AdaptiveBackoff {
 public:
  // The options outlive it.
  explicit AdaptiveBackoff(const AdaptiveBackoffOptions& options)
      : options_(options), bound_(options.starts_at_cap ? options.cap() : options.initial) {}

  Duration pause(std::uint64_t retry, Salt salt) const {
    const std::uint64_t shift = std::min(retry, options_.cap_shift);
    const Duration most =
        options_.longest_jitter.ps > 0 ? options_.longest_jitter : options_.initial;
    const Duration part = jitter(most, salt, retry);
    if (options_.forgets_after > 0 && retry >= options_.forgets_after) return part;
    return doubled(options_.initial, shift, bound_) + part;
  }
  Duration bound() const { return bound_; }

  // After an acquisition that took `retries` retries, on the client's clock.
  void completed(std::uint64_t retries, Time now) {
    retries_ += static_cast<std::uint32_t>(retries);
    ++completions_;
    if (completions_ < options_.every_operations || now - since_ < options_.interval) return;
    const std::uint64_t tries = std::uint64_t{retries_} + completions_;
    if (100ULL * retries_ < options_.low_percent * tries) {
      bound_ = std::max(bound_ / 2, options_.initial);
    } else if (100ULL * retries_ > options_.high_percent * tries) {
      bound_ = std::min(bound_ * 2, options_.cap());
    }
    if (!options_.lifetime_share) retries_ = completions_ = 0;
    since_ = now;
  }

 private:
  const AdaptiveBackoffOptions& options_;
  Duration bound_;
  std::uint32_t retries_ = 0;
  std::uint32_t completions_ = 0;
  Time since_;
};

}  // namespace latchlab
