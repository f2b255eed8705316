#pragma once
// Counter-examples as files: the case with all its options, and the moves that lead to what went
// wrong. The same on every machine and compiler.

#include <string>

#include "core/base/result.h"
#include "tools/explore/search.h"

namespace latchlab::explore {

inline constexpr int kTraceVersion = 1;
inline constexpr int kReplayVersion = 1;  // of what replay_json tells

struct Trace {
  Case setup;
  explorer::SearchFacts facts;
  Finding finding;
  std::string entry;  // the lock entry at the end, decoded
};

// Plays the finding once more to see how it ends.
Trace make_trace(const Case& setup, const explorer::SearchFacts& facts, const Finding& finding);
std::string trace_json(const Trace& trace);
std::string case_json(const Case& setup);  // as a part of it
// Errors name `file`, what is wrong and what would be right.
Result<Trace> parse_trace(const std::string& text, const std::string& file);

// Is everything in the case within what a search can hold, and known?
Status check_case(const Case& setup);

struct Played {
  std::string text;   // step by step
  bool fits = false;  // it ended as the trace says
};
// Makes the moves of a trace again; for people, and for programs as one JSON document.
Played replay(const Trace& trace);
Played replay_json(const Trace& trace);

}  // namespace latchlab::explore
