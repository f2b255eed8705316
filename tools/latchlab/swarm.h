#pragma once
// `latchlab swarm`: draws scenarios with faults at random, plays them, and holds each lock to what
// it claims.

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/share.h"

namespace latchlab::tool {

struct SwarmArguments {
  std::vector<std::string> protocols;  // empty: all
  std::vector<std::string> scenarios;  // files that are played in place of drawn cases
  std::string regressions;             // a folder of them; empty: none
  std::vector<std::string> sets;       // name=value of a parameter of every lock
  std::uint64_t runs = 100;            // of each lock
  std::string budget;                  // a time; empty: none
  std::uint64_t first = 0;             // the number of the first run
  std::uint64_t seed = 1;
  std::string parameters = "both";
  std::uint64_t shrink = 400;  // plays to shrink a finding; 0: not at all
  std::uint32_t jobs = 0;
  std::string out, data;
  bool keep = false;  // writes all drawn scenarios
  bool json = false, quiet = false;
};
int swarm(const SwarmArguments& arguments);

// Its part that plays the scenarios of the arguments.
int play_scenarios(const SwarmArguments& arguments, const BackendFactory& make_backend);

}  // namespace latchlab::tool
