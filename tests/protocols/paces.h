#pragma once
// How fast a client retries for a lock that it does not get, in the simulator.

#if LATCHLAB_WITH_SIMGRID

#include <string>

#include "tests/conformance/simulation.h"
#include "tests/protocols/meeting.h"

namespace latchlab::testing {

struct Paced {
  std::string protocol;
  std::string profile;
  ParamValues over = {};  // its values
};

// Verbs of a client that asks for a lock whose writer never releases, until it gives up.
inline std::uint64_t tries_within(const Paced& lock, LockMode mode, Duration patience) {
  const ParamSet params = find_protocol(lock.protocol)->info.resolve(lock.profile);
  ParamValues values(params.values().begin(), params.values().end());
  values.insert(values.end(), lock.over.begin(), lock.over.end());
  Meeting meeting;
  meeting.other = mode;
  meeting.leaves = false;
  meeting.patience = patience;
  meet(lock.protocol.c_str(), values, 1, meeting, plain_simulation);
  EXPECT_FALSE(meeting.entered);
  return meeting.verbs.one_sided();
}

// Pauses between tries are this long on average, within a round trip of 2 to 3 us.
inline void expect_pauses(const Paced& lock, LockMode mode, Duration patience, Duration least,
                          Duration most) {
  const std::uint64_t tries = tries_within(lock, mode, patience);
  EXPECT_GE(tries, static_cast<std::uint64_t>(patience.ps / (most + microseconds(3)).ps));
  EXPECT_LE(tries, static_cast<std::uint64_t>(patience.ps / (least + microseconds(2)).ps) + 2);
}

}  // namespace latchlab::testing

#endif
