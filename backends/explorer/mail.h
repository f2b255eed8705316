#pragma once
// Messages between endpoints, and calls to server parts.

#include "backends/explorer/state.h"

namespace latchlab::explorer {

void add_send_steps(State& state, Actor& actor, StepList& steps);
void make_send_step(State& state, const Step& step);

bool is_to_datagrams(State& state, const OpSlot& op);

// A datagram is over for its sender and goes on without it.
void leave_datagram(const OpSlot& op);

void add_call_steps(State& state, Actor& actor, StepList& steps);
void make_call_step(State& state, const Step& step);
// The server part has the call and has not answered it: until then its ticket is its own, and
// afterwards may be that of another call.
inline bool is_pending(const OpSlot& call) {
  return call.arrived && !call.effected;
}

// The actor's own endpoint; anything else is a defect of the caller.
Endpoint& own_endpoint(State& state, const Actor& actor, EndpointAddr addr);
// Where the first queued message that the filter accepts lies; -1: there is none.
int find_message(const Endpoint& endpoint, const MessageFilter& filter);
// Takes it out and posts its RECV again.
Message take_message(Endpoint& endpoint, int index);

}  // namespace latchlab::explorer
