#pragma once
// The pause after an acquisition that has failed, before its caller tries again: truncated binary
// exponential, random (DSLR, appendix A.3).

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/protocols/common/backoff.h"

namespace latchlab {

// Description::contradiction of the two; empty: none.
inline std::string backoff_order_contradiction(Duration first, Duration bound) {
  if (first <= bound) return {};
  return "backoff_first is longer than backoff_bound: raise backoff_bound";
}

class FailureBackoff {
 public:
  FailureBackoff(Duration first, Duration bound) : first_(first), bound_(bound) {}

  // Uniform in [0, min(first * 2^(c-1), bound)) after the c-th failure in a row, and not beyond the
  // deadline, on the own node's clock; none when first or bound is zero.
  Task<void> pause(Verbs& verbs, Time deadline = kNever) {
    const Duration length = next(verbs);
    const Time now = verbs.now();
    const Time end = std::min(saturating_add(now, length), deadline);
    if (end > now) co_await verbs.sleep(end - now);
  }
  void succeeded() { failures_ = 0; }

 private:
  Duration next(Verbs& verbs) {
    const Duration longest = doubled(first_, failures_, bound_);
    if (longest.ps <= 0) return {};
    if (longest < bound_) ++failures_;  // from the bound on, more change nothing
    return Duration{
        static_cast<std::int64_t>(verbs.random(static_cast<std::uint64_t>(longest.ps)))};
  }

  Duration first_, bound_;
  std::uint64_t failures_ = 0;  // in a row
};

}  // namespace latchlab
