#pragma once
// Verbs on memory: which of their steps are possible now, and what each step does.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

// The bytes of its `index`-th word that a verb touches.
std::uint64_t mask_of(const Verb& verb, std::uint32_t index);

void add_verb_steps(State& state, Actor& actor, StepList& steps);
void make_verb_step(State& state, const Step& step);
// Ends the verb without (further) effect; it completes with `status`.
void fail_verb(State& state, OpSlot& op, VerbStatus status);
// Releases the words that an atomic holds between its two steps.
void release_words(State& state, OpSlot& op);

}  // namespace latchlab::explorer
