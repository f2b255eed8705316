#pragma once
// `latchlab-bench ranges`: what a step through the structures of range locks costs a CPU, which
// their servers pay in simulations (parameter `step`; models/cpu/range-structures.yaml).

#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/benchmarks/engine.h"

namespace latchlab::bench {

// One more range in an object that has some: the way to its place, and the change there. `cold`:
// one object after the other of so many that none is in a cache when its turn comes.
struct RangesLine {
  std::string structure;  // list, interval tree, b-tree
  std::uint32_t held = 0;
  bool cold = false;
  double steps = 0;    // of an insertion, on average
  double step_ns = 0;  // CPU time of a step: median, least and most of the repeats
  double least_ns = 0;
  double most_ns = 0;
};

Result<std::vector<RangesLine>> run_ranges_benchmark(const EngineOptions& options);

std::string report_text(const std::vector<RangesLine>& lines);
std::string report_json(const std::vector<RangesLine>& lines);

}  // namespace latchlab::bench
