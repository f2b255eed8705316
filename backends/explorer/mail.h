#pragma once
// Messages between endpoints, and calls to server parts.

#include "backends/explorer/world.h"

namespace latchlab::explorer {

void add_send_steps(World& world, Actor& actor, StepList& steps);
void make_send_step(World& world, const Step& step);

// A datagram is over for its sender and goes on without it.
void leave_datagram(const OpSlot& op);

void add_call_steps(World& world, Actor& actor, StepList& steps);
void make_call_step(World& world, const Step& step);

// The actor's own endpoint; anything else is a defect of the caller.
Endpoint& own_endpoint(World& world, const Actor& actor, EndpointAddr addr);
// Where the first queued message that the filter accepts lies; -1: there is none.
int find_message(const Endpoint& endpoint, const MessageFilter& filter);
// Takes it out and posts its RECV again.
Message take_message(Endpoint& endpoint, int index);

}  // namespace latchlab::explorer
