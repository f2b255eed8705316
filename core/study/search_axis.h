#pragma once
// A number of a scenario along which a search runs: platform.clients_per_node=1..64.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {

struct SearchAxis {
  std::string path;
  ScenarioKey key;                 // the type of the number and how it is written
  std::int64_t low = 0, high = 0;  // a count, bytes, picoseconds, bits/s, parts per billion
  bool by_factors = false;         // bisect at the geometric mean: counts, times, rates

  std::string text(std::int64_t value) const;  // as a scenario writes it
  // A value strictly between the two, if there is one; a round number if one is close.
  std::int64_t halfway(std::int64_t from, std::int64_t to) const;
  // True if they differ by less than this fraction of the greater one, or are neighbours.
  bool is_narrow(std::int64_t from, std::int64_t to, double precision) const;
};

// Parses "PATH=LOW..HIGH", where PATH is a key of the scenario, a constant of a NIC or one of these
// parameters of protocols.
Result<SearchAxis> parse_search_axis(const std::string& text,
                                     const std::vector<ParamSpec>& parameters);

}  // namespace latchlab
