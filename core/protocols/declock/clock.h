#pragma once
// The time of entries: units since the client nodes last agreed on a moment, in a few bits. They
// agree by a counter on the first server: see declock.h.

#include <cstdint>

#include "core/protocols/declock/options.h"
#include "core/protocols/lock.h"

namespace latchlab::declock {

class Node;

class Clock {
 public:
  explicit Clock(const Options& options) : options_(options) {}

  void starts(Time now) { start_ = now; }
  std::uint32_t time(Time now) const {
    const auto units = static_cast<std::uint64_t>((now - start_).ps / options_.time_unit.ps);
    return static_cast<std::uint32_t>(units) & options_.times().largest();
  }

 private:
  const Options& options_;
  Time start_;
};

// The node's part in the agreement. Runs until the end of the run.
Task<void> keep_synchronised(Verbs& verbs, const Peers& peers, const Options& options, Node& node);

}  // namespace latchlab::declock
