#pragma once
// Random walks: one order of events at a time, for cases too large for a search.

#include <cstdint>
#include <functional>
#include <optional>

#include "tools/explore/search.h"

namespace latchlab::explore {

enum class Strategy : std::uint8_t {
  random,  // all steps are equally likely
  // Random priorities that change a few times (Burckhardt et al., ASPLOS 2010): one actor runs
  // until something stops it. So most faults strike the client that has just moved, or resume a
  // paused client.
  pct,
};

struct WalkBounds {
  std::uint64_t walks = 10'000;
  std::uint64_t steps = 5'000;     // of one walk
  std::uint64_t milliseconds = 0;  // of wall time; 0: no bound
  std::uint64_t seed = 1;
};

struct WalkResult {
  std::uint64_t walks = 0;
  std::uint64_t steps = 0;
  std::uint64_t unfinished = 0;  // walks that reached `steps`
  std::optional<Counterexample>
      counterexample;          // minimised; the first for which ends() holds, else the first
  std::uint64_t found_by = 0;  // number of the walk, from 1
  explorer::SearchFacts facts;
};

WalkResult walk(const Case& setup, Strategy strategy, const WalkBounds& bounds,
                const std::function<bool(std::uint64_t walks)>& watch = {});

// Shortens the path to a violation of the same kind, by leaving moves out as long as that works.
Counterexample minimised(const Case& setup, const Counterexample& counterexample,
                         const explorer::SearchFacts& facts);

}  // namespace latchlab::explore
