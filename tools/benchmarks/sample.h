#pragma once
// Runs each measurement in a separate process, because SimGrid allows one engine per process and
// because an earlier measurement must not affect the heap of a later one.

#include <functional>
#include <string>
#include <vector>

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

double median(std::vector<double> values);  // at least one value

// Of this process: CPU time since its start, and current resident memory.
double process_cpu_ns();
double process_resident_bytes();

}  // namespace latchlab::bench
