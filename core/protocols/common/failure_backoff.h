#pragma once
// The pause after a failed acquisition, before its caller tries again: truncated binary
// exponential, random (DSLR, appendix A.3).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/protocols/common/backoff.h"
#include "core/protocols/common/planted.h"

namespace latchlab {

// Description::contradiction of the two parameters; empty: none.
inline std::string backoff_order_contradiction(Duration first, Duration bound) {
  if (first <= bound) return {};
  return "backoff_first is longer than backoff_bound: raise backoff_bound";
}

class FailureBackoff {
 public:
  FailureBackoff(Duration first, Duration bound) : first_(first), bound_(bound) {}

  // Uniform in [0, min(first * 2^(c-1), bound)) after the c-th failure in a row of this client on
  // this lock, but not beyond the deadline, on the own node's clock. No pause if first or bound is
  // zero.
  Task<void> pause(Verbs& verbs, LockId lock, Time deadline = kNever) {
    const Duration length = next(verbs, lock);
    const Time now = verbs.now();
    const Time end = std::min(saturating_add(now, length), deadline);
    if (end > now) co_await verbs.sleep(end - now);
  }
  // For a lock whose source has one count for each client.
  Task<void> pause(Verbs& verbs, Time deadline = kNever) { return pause(verbs, {}, deadline); }
  void succeeded() { succeeded(LockId{}); }

  // Resets the count of this lock; those of other locks stay.
  void succeeded(LockId lock) {
    if (counts_.empty()) return;
    const std::size_t at = find(lock);
    if (at == counts_.size()) return;
    counts_.erase(counts_.begin() + static_cast<std::ptrdiff_t>(at));
    // For a search, a client that has recovered from all failures equals one that had none.
    if (counts_.empty()) std::vector<Count>().swap(counts_);
  }

 private:
  struct Count {
    LockId lock;
    std::uint64_t failures;  // in a row
  };

  std::size_t find(LockId lock) const {
    std::size_t at = 0;
    while (at < counts_.size() && counts_[at].lock != lock &&
           !PLANTED(common_backoff_counts_all_locks))
      ++at;
    return at;
  }

  Duration next(Verbs& verbs, LockId lock) {
    const std::size_t at = find(lock);
    const std::uint64_t failures = at < counts_.size() ? counts_[at].failures : 0;
    const Duration longest = doubled(first_, failures, bound_);
    if (longest.ps <= 0) return {};
    if (longest < bound_) {  // at the bound, more failures change nothing
      if (at == counts_.size()) counts_.push_back({lock, 0});
      ++counts_[at].failures;
    }
    return Duration{
        static_cast<std::int64_t>(verbs.random(static_cast<std::uint64_t>(longest.ps)))};
  }

  Duration first_, bound_;
  std::vector<Count> counts_;  // of the few locks that failed and were not acquired since
};

}  // namespace latchlab
