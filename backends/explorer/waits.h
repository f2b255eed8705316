#pragma once
// Waits on the own node (messages, words, deadlines, membership) and for remote memory. A condition
// that holds makes a step possible but does not force it, so that a condition that holds only
// briefly may be missed.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

void add_wait_steps(State& state, Actor& actor, StepList& steps);
void make_wait_step(State& state, const Step& step);

// Lists `step` for `date` on the clock of its actor's node. `posted_at`: when the operation began.
void add_deadline(const State& state, Time date, Time posted_at, const Step& step, StepList& steps);

void add_probe_steps(State& state, Actor& actor, StepList& steps);
void make_probe_step(State& state, const Step& step);
// A verb that a remote wait issued has completed.
void complete_probe(State& state, OpSlot& op);

}  // namespace latchlab::explorer
