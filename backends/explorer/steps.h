#pragma once
// Making one step, which a chooser or a search has chosen.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

void perform(State& state, const Step& step);
// Whether an RNIC makes the step, and not a CPU.
bool by_nic(StepKind kind);

}  // namespace latchlab::explorer
