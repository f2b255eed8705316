#pragma once
// The costs of an acquisition in numbers, which a lock's header describes in words. `latchlab list
// protocols` shows them and a test counts them (tests/protocols/costs_test.cc).

#include <cstdint>
#include <string>

namespace latchlab {

// What one client spends on one acquire or release.
struct Cost {
  std::uint32_t verbs = 0;       // one-sided, to other nodes' memory
  std::uint32_t messages = 0;    // SENDs to other clients
  std::uint32_t calls = 0;       // to the server's CPU; replies are not counted
  std::uint32_t half_trips = 0;  // half round trips in sequence: see Costs
  bool at_least = false;         // grows with the waiting time: the client polls, or tries again
  bool operator==(const Cost&) const = default;
};

// An acquisition and its release.
struct CostPair {
  Cost acquire = {};
  Cost release = {};
  bool operator==(const CostPair&) const = default;
};

// free_*: no other client uses the lock; trips are the duration of the call.
// exclusive_after_shared: a client acquires exclusively a lock that a sharer holds, and `release`
// is that sharer's release while the client waits; trips of the acquisition are counted from the
// start of that release. The others likewise. Two clients, each on its own node, and neither has
// used the lock before.
struct Costs {
  CostPair free_exclusive = {};
  CostPair exclusive_after_exclusive = {};
  CostPair free_shared = {};  // this and the next two: locks with shared mode only
  CostPair shared_after_exclusive = {};
  CostPair exclusive_after_shared = {};
  bool operator==(const Costs&) const = default;
};

// "2 verbs, 1 message, 1.5 trips"; "at least 2 verbs, 1 trip"; "nothing".
std::string text_of(const Cost& cost);

}  // namespace latchlab
