#pragma once
// What an acquisition costs, as a lock's header tells it in words: here in numbers, which `latchlab
// list protocols` shows and a test counts (tests/protocols/costs_test.cc).

#include <cstdint>
#include <string>

namespace latchlab {

// What one client spends on one acquire or release.
struct Cost {
  std::uint32_t verbs = 0;       // one-sided, to other nodes' memory
  std::uint32_t messages = 0;    // SENDs to other clients
  std::uint32_t calls = 0;       // to the server's CPU; the answers are not counted
  std::uint32_t half_trips = 0;  // halves of a round trip, one after the other: see Costs
  bool at_least = false;         // more the longer it waits: it polls, or tries again
  bool operator==(const Cost&) const = default;
};

// An acquisition and a release that belong together.
struct CostPair {
  Cost acquire = {};
  Cost release = {};
  bool operator==(const CostPair&) const = default;
};

// `free_...`: nobody else is there, and trips are how long the call takes. `x_after_s`: an
// exclusive acquisition by a client that finds one sharer, and what that sharer's release costs
// while it waits; trips of the acquisition run from the beginning of that release. Likewise the
// others. Two clients on nodes of their own, and neither has used the lock before.
struct Costs {
  CostPair free_x = {};
  CostPair x_after_x = {};
  CostPair free_s = {};  // these three: of locks with shared mode
  CostPair s_after_x = {};
  CostPair x_after_s = {};
  bool operator==(const Costs&) const = default;
};

// "2 verbs, 1 message, 1.5 trips"; "at least 2 verbs, 1 trip"; "nothing".
std::string text_of(const Cost& cost);

}  // namespace latchlab
