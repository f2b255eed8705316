#pragma once
// Deaths. The coroutine goes at once; what it had posted lands or does not, by choice.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

void crash_client(State& state, ClientId client, CrashKind kind);
void add_detection_steps(State& state, StepList& steps);
void make_detection_step(State& state, const Step& step);

}  // namespace latchlab::explorer
