#pragma once
// The steps of each kind of operation: `add_..._steps` lists those that are possible now,
// `make_..._step` makes one.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

// Makes one step, which a chooser or a search has chosen.
void perform(State& state, const Step& step);
// Whether an RNIC makes the step, and not a CPU.
bool by_nic(StepKind kind);

// ---- verbs on memory (nic.cc) ----

// The bytes of its `index`-th word that a verb touches.
std::uint64_t mask_of(const Verb& verb, std::uint32_t index);

void add_verb_steps(State& state, Actor& actor, StepList& steps);
void make_verb_step(State& state, const Step& step);
// Ends the verb without (further) effect; it completes with `status`.
void fail_verb(State& state, OpSlot& op, VerbStatus status);
// Releases the words that an atomic holds between its two steps.
void release_words(State& state, OpSlot& op);

// ---- order of operations, and paths that are down (streams.cc) ----

// Whether the two, of one actor, keep their posting order. Calls count as one stream.
bool same_stream(const OpSlot& a, const OpSlot& b);
// What an error of the operation flushes: all that its actor has posted behind it in its stream.
std::vector<OpSlot*> posted_behind(const OpSlot& op);
// Whether the operation, of those under way over a path that is down, may be the first to fail: RC
// retries in posting order.
bool may_fail_by_path(const OpSlot& op);
// The step by which it fails, with or without its effect.
Step failing_by_path(OpSlot& op);

// ---- operations of an actor on its own node, and services (local.cc): one step each, effect and
// completion together ----

void add_local_steps(State& state, Actor& actor, StepList& steps);
void make_local_step(State& state, const Step& step);

// ---- waits on the own node (messages, words, deadlines, membership) and for remote memory
// (waits.cc): a condition that holds makes a step possible but does not force it, so that a
// condition that holds only briefly may be missed ----

void add_wait_steps(State& state, Actor& actor, StepList& steps);
void make_wait_step(State& state, const Step& step);

// Lists `step` for `date` on the clock of its actor's node. `posted_at`: when the operation began.
void add_deadline(const State& state, Time date, Time posted_at, const Step& step, StepList& steps);

void add_probe_steps(State& state, Actor& actor, StepList& steps);
void make_probe_step(State& state, const Step& step);
// A verb that a remote wait issued has completed.
void complete_probe(State& state, OpSlot& op);

// ---- messages between endpoints, and calls to server parts (mail.cc) ----

void add_send_steps(State& state, Actor& actor, StepList& steps);
void make_send_step(State& state, const Step& step);

bool is_to_datagrams(State& state, const OpSlot& op);

// The datagram is complete for its sender; it stays under way without it.
void leave_datagram(const OpSlot& op);

void add_call_steps(State& state, Actor& actor, StepList& steps);
void make_call_step(State& state, const Step& step);
// Whether the server part has the call and has not answered it. Until then its ticket is unique;
// afterwards another call may get it.
inline bool is_pending(const OpSlot& call) {
  return call.arrived && !call.effected;
}

// The actor's own endpoint; checks that it is.
Endpoint& own_endpoint(State& state, const Actor& actor, EndpointAddr addr);
// Index of the first queued message that the filter accepts; -1: there is none.
int find_message(const Endpoint& endpoint, const MessageFilter& filter);
// Takes it out and posts its RECV again.
Message take_message(Endpoint& endpoint, int index);

// ---- crashes (crash.cc): the coroutine is destroyed at once; its posted operations take effect or
// not, by choice ----

void crash_client(State& state, ClientId client, CrashKind kind);
void add_detection_steps(State& state, StepList& steps);
void make_detection_step(State& state, const Step& step);

}  // namespace latchlab::explorer
