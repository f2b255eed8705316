#pragma once
// A search that was interrupted, as a file. States are bytes of one process and cannot be stored;
// the moves that lead to them can, and making each state again costs a fraction of finding all of
// them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tools/explore/search.h"

namespace latchlab::explore {

// How a state was first reached.
struct Origin {
  std::uint32_t parent = 0;
  std::uint32_t choice = 0;
};

struct Checkpoint {
  std::string setup;  // case_json, and whether the search is compact
  explorer::SearchFacts facts;
  std::uint64_t expanded = 0;       // states whose moves have all been made, in order
  bool case_bound_reached = false;  // in one of them
  std::vector<Origin> origins;      // by state
  std::map<std::uint32_t, std::vector<std::uint32_t>> inner;  // by state: choices within its move
  std::vector<char> good;  // by state: the end is known to be reachable
  std::vector<SearchEdge> edges;
  std::uint64_t transitions = 0;
  std::uint64_t terminals = 0;
  std::vector<std::string> terminal;
  std::vector<Counterexample> counterexamples;
  std::vector<std::string> reached;  // paths of the lock
};

// Atomically: a file that exists is whole.
Status write_checkpoint(const std::string& file, const Checkpoint& checkpoint);
// Nothing: there is no such file, or it is of another case or format.
std::optional<Checkpoint> read_checkpoint(const std::string& file, const std::string& setup);

}  // namespace latchlab::explore
