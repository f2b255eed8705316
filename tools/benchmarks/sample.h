#pragma once
// One measurement in a process of its own: SimGrid allows one engine per process, and nothing that
// an earlier measurement did to the heap or the caches is left.

#include <functional>
#include <string>
#include <vector>

namespace latchlab::bench {

// What was measured between two instants of a run; set-up and warm-up lie before the first.
struct Sample {
  std::string problem;        // empty: fine; else why there are no numbers
  double cpu_ns = 0;          // CPU time of the process
  double events = 0;          // that the engine handled
  double verbs = 0;           // that completed; 0 where there are none
  double resident_bytes = 0;  // at the second instant
};

Sample failed(std::string problem);

// Runs `measure` in a child and brings its sample back.
Sample in_child(const std::function<Sample()>& measure);

double median(std::vector<double> values);  // of one at least

// Of this process, so far and now.
double process_cpu_ns();
double process_resident_bytes();

}  // namespace latchlab::bench
