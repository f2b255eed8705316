#pragma once
// Waits: at home (messages, words, dates, membership) and for remote memory. A condition that holds
// makes a step possible; nothing forces it, so that what holds for a moment only may be missed.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

void add_wait_steps(State& state, Actor& actor, StepList& steps);
void make_wait_step(State& state, const Step& step);

// Lists `step` for when it is `date` on the clock of its actor's node, of something that began at
// `posted_at`.
void add_deadline(const State& state, Time date, Time posted_at, const Step& step, StepList& steps);

void add_probe_steps(State& state, Actor& actor, StepList& steps);
void make_probe_step(State& state, const Step& step);
// A verb that a remote wait issued has returned.
void complete_probe(State& state, OpSlot& op);

}  // namespace latchlab::explorer
