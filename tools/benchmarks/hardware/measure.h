#pragma once
// A lock's cost of verbs on hardware, comparable with perftest: the latency of one atomic at a time
// (ib_atomic_lat), and the rate with several outstanding on one QP (ib_atomic_bw --cq-mod=1). The
// measured path is that of a lock: a client's coroutine, its Verbs and its own QP.

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "tools/benchmarks/hardware/two_processes.h"

namespace latchlab::bench {

// Latency of single operations in microseconds, with perftest's quantiles over all samples.
struct Latency {
  std::uint64_t samples = 0;
  double min_us = 0, median_us = 0, mean_us = 0, p99_us = 0, p999_us = 0, max_us = 0;
};

// Acquires a free `cas` lock without backoff, one CAS each. Releases are not part of the samples.
Result<Latency> measure_acquire(const Where& where, std::uint64_t samples);

struct Rate {
  std::uint32_t outstanding = 0;
  std::uint64_t operations = 0;
  double seconds = 0;
  double per_second() const { return static_cast<double>(operations) / seconds; }
};

// CAS operations by `outstanding` coroutines of one client. Each posts its next CAS, with a
// doorbell and a completion of its own, after the previous one has completed.
Result<Rate> measure_outstanding(const Where& where, std::uint32_t outstanding,
                                 std::uint64_t operations);

}  // namespace latchlab::bench
