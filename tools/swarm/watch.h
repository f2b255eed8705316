#pragma once
// Watches one run and says afterwards what the lock did not keep, as far as the run's own checks do
// not tell: clients that still wait, locks that are not free although all clients have left, and
// bypasses beyond the lock's bound.

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/run/repeat.h"
#include "core/run/trace_hook.h"
#include "core/scenario/scenario.h"

namespace latchlab::swarm {

// What a watch reports, as text and back.
struct Seen {
  std::uint64_t grants = 0, recoveries = 0;
  std::uint64_t cut = 0;  // sections that outlived a grant, and releases that were suppressed
  // The longest wait for a lock, and whose it was.
  Duration waited;
  std::uint32_t waiter = 0;
  // Empty: kept.
  std::string progress, clean_end, order;

  std::string text() const;
};
Result<Seen> parse_seen(const std::string& text);

// For a run of `point`, which must outlive it.
std::unique_ptr<TraceHook> make_watch(const Point& point);

}  // namespace latchlab::swarm
