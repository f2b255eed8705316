#pragma once
// `latchlab-bench lines`: what an access to memory costs a core if it holds the cache line, and if
// another core has changed it since (local.cpu_access and local.line_transfer of models/nics).

#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/benchmarks/engine.h"
#include "tools/benchmarks/sample.h"

namespace latchlab::bench {

struct LinesLine {
  std::string access;  // load, atomic
  bool other = false;  // another core has changed the line
  Spread ns;           // of one access, over the rounds
};

Result<std::vector<LinesLine>> run_lines_benchmark(const EngineOptions& options);

std::string report_text(const std::vector<LinesLine>& lines);
std::string report_json(const std::vector<LinesLine>& lines);

}  // namespace latchlab::bench
