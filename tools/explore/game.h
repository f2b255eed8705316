#pragma once
// A case as a game: all that can happen in it, for whoever wants to choose the order of events.

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "tools/explore/case.h"

namespace latchlab::explore {

inline constexpr std::uint64_t kMostGameStates = 5'000;

// The planted lock (planted_lock.h), two clients on a node each, one acquisition of each.
Case planted_game();

// {"case", "clients", "start", "states": [{"moves": [MOVE], "wrong", "text"}], "shortest"}
// - case, clients, start, and a MOVE's keys but its number: as `replay --json` has them
//   (docs/export.md); MOVE also has "to", the state that it leads to. The first state is the start
// - wrong and text: what is wrong there, and in words; absent where nothing is. Where nothing is
//   and there is no move either, everybody has finished
// - shortest: of the moves that lead to the first finding, which of each state's; empty: none
// Only of cases without crashes. An error where it has more than kMostGameStates, or its bounds cut
// something off.
Result<std::string> game_json(const Case& setup);

}  // namespace latchlab::explore
