#pragma once
// A number of a scenario along which something is looked for: platform.clients_per_node=1..64.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {

struct SearchAxis {
  std::string path;
  ScenarioKey key;                 // what kind of number it is, and how it is written
  std::int64_t low = 0, high = 0;  // a count, bytes, picoseconds, bits/s, parts per billion
  bool by_factors = false;         // halfway is the geometric mean: counts, times, rates

  std::string text(std::int64_t value) const;  // as a scenario writes it
  // Strictly between the two, if there is anything; a round number where one is near.
  std::int64_t halfway(std::int64_t from, std::int64_t to) const;
  // Nearer to each other than this share of the greater one, or neighbours.
  bool is_narrow(std::int64_t from, std::int64_t to, double precision) const;
};

// "PATH=LOW..HIGH", of a key of the scenario, a constant of a NIC or one of these parameters of
// protocols.
Result<SearchAxis> parse_search_axis(const std::string& text,
                                     const std::vector<ParamSpec>& parameters);

}  // namespace latchlab
