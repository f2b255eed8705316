#pragma once
// Verbs on memory: which of their steps the seam allows now, and what each step does.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

// Which bytes of its `index`-th word a verb touches.
std::uint64_t mask_of(const Verb& verb, std::uint32_t index);

void add_verb_steps(State& state, Actor& actor, StepList& steps);
void make_verb_step(State& state, const Step& step);
// The verb ends without (further) effect and completes with `status`.
void fail_verb(State& state, OpSlot& op, VerbStatus status);
// Lets go of the words that an atomic holds between its two steps.
void release_words(State& state, OpSlot& op);

}  // namespace latchlab::explorer
