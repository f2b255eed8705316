#pragma once
// A case as a game: all states and moves, so that a program can let its user choose the order of
// events.

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "tools/explore/case.h"

namespace latchlab::explore {

inline constexpr std::uint64_t kMostGameStates = 5'000;

// The planted lock (game.cc), which is wrong on purpose; two clients, one node each, one
// acquisition each.
Case planted_game();

// {"case", "clients", "start", "states": [{"moves": [MOVE], "wrong", "text"}], "shortest"}
// - case, clients, start, and the keys of MOVE except its number: as in `replay --json`
//   (docs/export.md); MOVE also has "to", the state that it leads to. The first state is the start
// - wrong and text: the violation in this state, and its description; absent if there is none. A
//   state without a violation and without moves: all clients have finished
// - shortest: the moves to the first violation, as indices into each state's moves; empty: there is
//   none
// Only for cases without crashes. An error if the case has more than kMostGameStates states, or if
// its bounds cut the search.
Result<std::string> game_json(const Case& setup);

}  // namespace latchlab::explore
