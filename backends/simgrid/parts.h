#pragma once
// All parts of the simulated world; the constructor shows which parts each one uses. A part does
// not touch another part's state. Members that all parts share come first.

#include "backends/simgrid/actors.h"
#include "backends/simgrid/bulk.h"
#include "backends/simgrid/calls.h"
#include "backends/simgrid/clocks.h"
#include "backends/simgrid/cpus.h"
#include "backends/simgrid/memory.h"
#include "backends/simgrid/messages.h"
#include "backends/simgrid/network.h"
#include "backends/simgrid/nodes.h"
#include "backends/simgrid/platform.h"
#include "backends/simgrid/record.h"
#include "backends/simgrid/requester.h"
#include "backends/simgrid/resending.h"
#include "backends/simgrid/responder.h"
#include "backends/simgrid/simgrid_backend.h"
#include "backends/simgrid/event_queue.h"
#include "backends/simgrid/waits.h"

namespace latchlab::sim {

struct Parts {
  Parts(const WorldPlan& plan, const SimgridOptions& its_options);
  Parts(const Parts&) = delete;
  ~Parts();

  SimActor& add_actor(ActorKind kind, NodeId node, ClientId client);
  // Starts the operations that an actor posts with one doorbell.
  void start(SimActor& actor, SimOperation& first);
  // Destroys the actor's coroutines, which are never resumed.
  void kill(SimActor& actor, CrashKind kind);

  const SimgridOptions options;
  const std::uint64_t seed;
  Timeline timeline;
  Record record;
  Nodes nodes;
  Clocks clocks;
  Actors actors;
  OperationPool operations;
  Platform platform;
  // Each of these uses some of the others.
  Memory memory;
  Network network;
  Resending resending;
  Bulk bulk;
  Requester requester;
  Responder responder;
  Messages messages;
  Calls calls;
  Cpus cpus;
  Waits waits;
};

}  // namespace latchlab::sim
