#pragma once
// Counterexamples as files: the case with all its options, and the moves that lead to the
// violation. The same on every machine and compiler.

#include <string>

#include "core/base/result.h"
#include "tools/explore/search.h"

namespace latchlab::explore {

inline constexpr int kTraceVersion = 1;
inline constexpr int kReplayVersion = 1;  // of the output of replay_json

struct Trace {
  Case setup;
  explorer::SearchFacts facts;
  Counterexample counterexample;
  std::string entry;  // the lock entry at the end, decoded
};

// Replays the violation to get the entry at its end.
Trace make_trace(const Case& setup, const explorer::SearchFacts& facts,
                 const Counterexample& counterexample);
std::string trace_json(const Trace& trace);
std::string case_json(const Case& setup);  // as in trace_json
// Errors name `file`, what is wrong, and what was expected.
Result<Trace> parse_trace(const std::string& text, const std::string& file);

struct Played {
  std::string text;   // step by step
  bool fits = false;  // it ended as the trace says
};
// Replay the moves of a trace: as text, or as one JSON document.
Played replay(const Trace& trace);
Played replay_json(const Trace& trace);

}  // namespace latchlab::explore
