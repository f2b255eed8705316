#pragma once
// Operations of an actor on its own node, and services: one step each, effect and completion
// together.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

void add_local_steps(State& state, Actor& actor, StepList& steps);
void make_local_step(State& state, const Step& step);

}  // namespace latchlab::explorer
