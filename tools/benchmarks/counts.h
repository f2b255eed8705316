#pragma once
// Instructions and missed cache lines of a simulated verb: what stays the same when the machine is
// busy, or another one. The processor's counters where perf may read them, else callgrind.

#include <string>

namespace latchlab::bench {

struct VerbCounts {
  std::string problem;  // empty: fine; else why there are no numbers
  std::string by;       // "perf" or "callgrind"
  double instructions = 0;
  double missed_lines = 0;  // perf: of the last cache; callgrind: data, of its first-level cache
};

// Of two scenarios that differ only in how long they run: what the longer one does more. `program`
// is this one, which is run with `count FILE`.
VerbCounts count_per_verb(const std::string& program, const std::string& shorter,
                          const std::string& longer);

// Runs the scenario of a file in this process and prints how many verbs there were.
int count_verbs(const std::string& file);

}  // namespace latchlab::bench
