#pragma once
// Instructions and cache misses per simulated verb, which do not depend on the machine's load. perf
// reads the processor's counters where it is permitted to; otherwise callgrind counts.

#include <string>

namespace latchlab::bench {

struct VerbCounts {
  std::string problem;  // empty: success; otherwise why there are no numbers
  std::string by;       // "perf" or "callgrind"
  double instructions = 0;
  double missed_lines = 0;  // perf: last-level cache; callgrind: simulated first-level data cache
};

// Counts per verb, from the difference of two scenarios that differ only in duration. `program` is
// the path of this program, which is run as `PROGRAM count FILE`.
VerbCounts count_per_verb(const std::string& program, const std::string& shorter,
                          const std::string& longer);

// Runs the scenario of a file in this process and prints its number of verbs.
int count_verbs(const std::string& file);

}  // namespace latchlab::bench
