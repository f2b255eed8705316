#pragma once
// `latchlab-bench locks`: the simulator's CPU time per verb of each lock, relative to the CAS lock.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/benchmarks/engine.h"

namespace latchlab::bench {

struct LockLine {
  std::string protocol;
  double events_per_verb = 0;
  double ns = 0;     // CPU time per verb, message or call: the median of the repeats
  double ratio = 0;  // to the CAS lock's time in the same round: the median of the rounds
};

// Every lock that serves several nodes, in its default profile except for `cas`, which runs without
// backoff: 240 clients on 240 locks, 50% shared acquisitions.
Result<std::vector<LockLine>> run_locks_benchmark(const EngineOptions& options);

std::string report_text(const std::vector<LockLine>& lines);
std::string report_json(const std::vector<LockLine>& lines);

}  // namespace latchlab::bench
