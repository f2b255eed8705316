#pragma once
// Exhaustive search, breadth first: what it finds, it finds by a shortest way.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tools/explore/universe.h"

namespace latchlab::explore {

struct Finding {
  Wrong wrong = Wrong::nothing;
  std::string text;
  std::vector<Move> path;  // from the start
};

struct SearchBounds {
  std::uint64_t states = 0;        // 0: no bound
  std::uint64_t milliseconds = 0;  // of wall time; 0: no bound
  bool first_only = false;         // stop at the first finding that ends()
  bool match = true;               // false: states are not compared (a tree, for tests)
};

struct SearchResult {
  bool exhausted = false;  // nothing was cut
  std::string cut;         // why not
  // By timeouts or the horizon, and everything within that bound was seen.
  bool only_case_bounds_cut = false;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t terminals = 0;
  std::uint64_t memory_bytes = 0;
  std::vector<Finding> findings;   // at most one of each kind, the shortest
  std::set<std::string> terminal;  // how the entry looks when nothing can happen any more
  explorer::SearchFacts facts;     // what the moves of the findings rest on
};

struct Progress {
  std::uint64_t states = 0;
  std::uint64_t open = 0;  // seen, and not looked at
};

// Every order of events of one case. `watch` is called now and then; false: stop.
SearchResult search(const Case& setup, const SearchBounds& bounds,
                    const std::function<bool(const Progress&)>& watch = {});

// Runs `once(support)` in fresh arenas, again with what it has learned as long as it learns more;
// its result is left with what it rests on. The arenas are gone when this returns.
template <class Once>
auto until_facts_stand(const Once& once) {
  explorer::SearchFacts facts;
  for (;;) {
    explorer::SearchSupport support;
    support.facts = facts;
    auto result = once(support);
    const bool again = support.facts.grew();
    facts = support.facts;
    if (again) continue;
    result.facts = facts;
    return result;
  }
}

}  // namespace latchlab::explore
