#pragma once
// Exhaustive breadth-first search: the path to each violation is a shortest one.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tools/explore/search_model.h"

namespace latchlab::explore {

struct Counterexample {
  Violation violation = Violation::nothing;
  std::string text;
  std::vector<Move> path;  // from the start
};

struct SearchBounds {
  std::uint64_t states = 0;        // 0: no bound
  std::uint64_t milliseconds = 0;  // of wall time; 0: no bound
  bool first_only = false;         // stop at the first violation for which ends() holds
  bool match = true;               // false: states are not compared (a tree, for tests)
  // States are compared by 64 bits of hash each, in a third of the memory. Progress is not checked.
  bool compact = false;
  // A file from which the search goes on, and into which it writes how far it has come: when a
  // bound ends it or `watch` does, and from time to time. Empty: none.
  std::string checkpoint;
};

struct SearchResult {
  bool exhausted = false;  // nothing was cut
  std::string cut;         // why not
  // Cut only by timeouts or the horizon; everything within that bound was explored.
  bool only_case_bounds_cut = false;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t terminals = 0;
  std::uint64_t memory_bytes = 0;
  double chance_of_a_miss = 0;  // compact: that a state was taken for another one, at most
  std::vector<Counterexample> counterexamples;  // the shortest of each kind
  std::set<std::string> terminal;  // entries, decoded, of states in which no step is possible
  explorer::SearchFacts facts;     // facts that the moves in `counterexamples` depend on
};

struct Progress {
  std::uint64_t states = 0;
  std::uint64_t open = 0;  // found, and not expanded
};

// Explores every order of events of one case. `watch` is called from time to time; false: stop.
SearchResult search(const Case& setup, const SearchBounds& bounds,
                    const std::function<bool(const Progress&)>& watch = {});

// The labels of the paths of a lock that this process has taken (core/base/paths.h).
std::vector<std::string> paths_taken(const std::string& protocol);

// Runs `once(support)` in fresh arenas with `facts`, and again with the facts that it has learned
// until it learns no new ones. Returns its result with these facts. The arenas are destroyed on
// return.
template <class Once>
auto until_facts_stand(const Once& once, explorer::SearchFacts facts = {}) {
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

// ---- a search that keeps the transitions between the states that it finds ----

// States are numbered in the order in which they were found; the start is 0.
struct SearchEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

struct SearchGraph : SearchResult {
  std::vector<SearchEdge> edges;  // by state, and then by choice
};

SearchGraph search_graph(const Case& setup, const SearchBounds& bounds);

}  // namespace latchlab::explore
