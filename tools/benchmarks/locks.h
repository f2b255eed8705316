#pragma once
// `latchlab-bench locks`: what a verb of each lock costs the simulator, against one of the CAS
// lock.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/benchmarks/engine.h"

namespace latchlab::bench {

struct LockLine {
  std::string protocol;
  double events_per_verb = 0;
  double ns = 0;     // CPU time per verb, message or call: the median of the repeats
  double ratio = 0;  // to the CAS lock's of the same round: their median
};

// Every lock that serves several nodes, with its default profile but `cas` without backoff: 240
// clients on as many locks, half of them reading.
Result<std::vector<LockLine>> run_locks_benchmark(const EngineOptions& options);

std::string report_text(const std::vector<LockLine>& lines);
std::string report_json(const std::vector<LockLine>& lines);

}  // namespace latchlab::bench
