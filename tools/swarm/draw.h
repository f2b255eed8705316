#pragma once
// Draws a case from a number: topology, workload, parameters of the lock, constants of RNIC and
// clocks, and a random subset of the kinds of faults.

#include <cstdint>
#include <optional>

#include "core/protocols/lock.h"
#include "core/scenario/scenario.h"
#include "tools/swarm/case.h"

namespace latchlab::swarm {

struct Drawn {
  Case drawn;
  Scenario scenario;  // of the case: one point
};

// What a hunt draws from.
struct Range {
  std::uint64_t seed = 1;
  bool own_parameters = false;  // the lock's are drawn, too, where it makes claims
  ParamValues forced;           // as in Case
};

// The n-th case of a lock. Draws again if a case contradicts itself. Error: no
// case of 100 can be played.
Result<Drawn> draw_case(const ProtocolEntry& entry, const Range& range, std::uint64_t number,
                        const DataDirs& data);

}  // namespace latchlab::swarm
