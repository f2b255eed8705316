#pragma once
// Texts for steps and states, used by replays of traces.

#include <string>

#include "tools/explore/search_model.h"

namespace latchlab::explore {

// "client 2", "node 3", "server 1".
std::string describe_actor(const explorer::Actor& actor);
// What a step is about to do: "client 2: CAS 0 -> 3 on node 1 +4096".
std::string describe_step(const explorer::Step& step);
std::string describe_choice(const SearchModel& model, const Choice& choice);
// Where a client is suspended: "waits for its FAA on node 1 +4096".
std::string describe_client(SearchModel& model, ClientId client);
// Equal for steps of different states that do the same; for minimising.
std::uint64_t likeness(const Choice& choice);

}  // namespace latchlab::explore
