#pragma once
// One step of the world, whoever chose it.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

void perform(State& state, const Step& step);
// Made by an RNIC, not by a CPU.
bool by_nic(StepKind kind);

}  // namespace latchlab::explorer
