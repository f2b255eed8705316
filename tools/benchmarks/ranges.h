#pragma once
// `latchlab-bench ranges`: CPU time per step through the data structures of range locks. Simulated
// servers of range locks charge this time (parameter `step`; models/cpu/range-structures.yaml).

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/benchmarks/engine.h"
#include "tools/benchmarks/sample.h"

namespace latchlab::bench {

// What the caches of the core hold of an object that it visits.
enum class Caches : std::uint8_t {
  warm,        // all of it
  other_core,  // nothing: another core has changed it, and has it in its own caches
  cold         // nothing: so many objects are visited in turn that none is cached at its next visit
};

// Insertion of a range into an object that holds `held` ranges: the search and the update. Lines of
// `other_core` are left out where a process may run on one core only.
struct RangesLine {
  std::string structure;  // list, interval tree, b-tree
  std::uint32_t held = 0;
  Caches caches = Caches::warm;
  double steps = 0;  // per insertion, mean
  Spread step_ns;    // time per step, over the rounds
};

Result<std::vector<RangesLine>> run_ranges_benchmark(const EngineOptions& options);

std::string report_text(const std::vector<RangesLine>& lines);
std::string report_json(const std::vector<RangesLine>& lines);

}  // namespace latchlab::bench
