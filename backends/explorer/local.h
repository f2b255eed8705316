#pragma once
// What an actor does at home, and services: one step each, effect and completion together.

#include "backends/explorer/world.h"

namespace latchlab::explorer {

void add_local_steps(World& world, Actor& actor, StepList& steps);
void make_local_step(World& world, const Step& step);

}  // namespace latchlab::explorer
