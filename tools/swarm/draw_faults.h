#pragma once
// Draws the faults of a case: a random subset of the kinds, and for each kind some faults.

#include <cstdint>

#include "tools/swarm/case.h"
#include "tools/swarm/dice.h"

namespace latchlab::swarm {

// What lengths and dates of faults depend on.
struct FaultScales {
  Duration busy;  // faults begin before this date
  Duration lock;  // the longest time by which the lock notices anything; zero: none
  Duration ack_timeout;
  std::int64_t ack_retries = 0;
  bool datagrams = false;  // the lock receives messages over UD
};

// Adds faults, and settings of the network. At least one client survives them.
void draw_faults(Case& drawn, Dice& dice, const FaultScales& scales);

}  // namespace latchlab::swarm
