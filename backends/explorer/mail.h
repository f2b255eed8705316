#pragma once
// Messages between endpoints, and calls to server parts.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

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

}  // namespace latchlab::explorer
