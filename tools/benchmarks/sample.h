#pragma once
// Runs each measurement in a separate process, because SimGrid allows one engine per process and
// because an earlier measurement must not affect the heap of a later one.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"

namespace latchlab::bench {

// Measured between two instants of a run. Set-up and warm-up precede the first instant.
struct Sample {
  std::string problem;        // empty: success; otherwise why there are no numbers
  double cpu_ns = 0;          // CPU time of the process
  double events = 0;          // handled by the engine
  double verbs = 0;           // completed; 0 if the subject has no verbs
  double resident_bytes = 0;  // at the second instant
};

Sample failed(std::string problem);

// Runs `measure` in a child process and returns its sample.
Sample in_child(const std::function<Sample()>& measure);

// The samples of so many rounds, each in a child process of its own. An error names `what`.
Result<std::vector<Sample>> in_rounds(const std::string& what, std::uint32_t rounds,
                                      const std::function<Sample()>& measure);

double median(std::vector<double> values);  // at least one value

struct Spread {
  double median = 0, least = 0, most = 0;
};
Spread spread_of(const std::vector<double>& values);  // at least one value

// The numbers below `count`, in random order.
std::vector<std::uint32_t> shuffled(std::uint32_t count, Rng& rng);

// Of this process: CPU time since its start, and current resident memory.
double process_cpu_ns();
double process_resident_bytes();

}  // namespace latchlab::bench
