#pragma once
// `latchlab-bench ranges`: CPU time per step through the data structures of range locks. Simulated
// servers of range locks charge this time (parameter `step`; models/cpu/range-structures.yaml).

#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/benchmarks/engine.h"

namespace latchlab::bench {

// Insertion of a range into an object that holds `held` ranges: the search and the update. `cold`:
// the benchmark visits so many objects in turn that none is cached at its next visit.
struct RangesLine {
  std::string structure;  // list, interval tree, b-tree
  std::uint32_t held = 0;
  bool cold = false;
  double steps = 0;    // per insertion, mean
  double step_ns = 0;  // CPU time per step: median, least and most of the repeats
  double least_ns = 0;
  double most_ns = 0;
};

Result<std::vector<RangesLine>> run_ranges_benchmark(const EngineOptions& options);

std::string report_text(const std::vector<RangesLine>& lines);
std::string report_json(const std::vector<RangesLine>& lines);

}  // namespace latchlab::bench
