#pragma once
// What a lock pays for verbs on hardware, in the terms of perftest: one atomic at a time
// (ib_atomic_lat), and how many a second with several outstanding on one QP (ib_atomic_bw
// --cq-mod=1). Everything goes the way of locks: a client's coroutine, its Verbs, its own QP.

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "tools/benchmarks/hardware/two_processes.h"

namespace latchlab::bench {

// Of single samples, in microseconds; perftest's quantiles, of all samples.
struct Latency {
  std::uint64_t samples = 0;
  double min_us = 0, median_us = 0, mean_us = 0, p99_us = 0, p999_us = 0, max_us = 0;
};

// Acquisitions of a free `cas` lock without backoff, each by one CAS. Releases lie between samples.
Result<Latency> measure_acquire(const Where& where, std::uint64_t samples);

struct Rate {
  std::uint32_t outstanding = 0;
  std::uint64_t operations = 0;
  double seconds = 0;
  double per_second() const { return static_cast<double>(operations) / seconds; }
};

// CAS by as many coroutines of one client as are to be outstanding: each posts its next one, with
// a doorbell and a completion of its own, when it has the result of the last.
Result<Rate> measure_outstanding(const Where& where, std::uint32_t outstanding,
                                 std::uint64_t operations);

}  // namespace latchlab::bench
