#pragma once
// Crashes. The coroutine is destroyed at once; its posted operations take effect or not, by choice.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

void crash_client(State& state, ClientId client, CrashKind kind);
void add_detection_steps(State& state, StepList& steps);
void make_detection_step(State& state, const Step& step);

}  // namespace latchlab::explorer
