#pragma once
// Deaths. The coroutine goes at once; what it had posted lands or does not, by choice.

#include "backends/explorer/world.h"

namespace latchlab::explorer {

void crash_client(World& world, ClientId client, CrashKind kind);
void add_detection_steps(World& world, StepList& steps);
void make_detection_step(World& world, const Step& step);

}  // namespace latchlab::explorer
