#pragma once
// A search that keeps the transitions between the states that it finds.

#include <cstdint>
#include <vector>

#include "tools/explore/search.h"

namespace latchlab::explore {

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
