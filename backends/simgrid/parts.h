#pragma once
// All parts of the simulated world, and who needs whom: see the constructor. A part touches no
// other part's state. What all of them share stands first.

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
#include "backends/simgrid/timeline.h"
#include "backends/simgrid/waits.h"

namespace latchlab::sim {

struct Parts {
  Parts(const WorldPlan& plan, const SimgridOptions& its_options);
  Parts(const Parts&) = delete;
  ~Parts();

  SimActor& add_actor(ActorKind kind, NodeId node, ClientId client);
  // What an actor posts with one doorbell.
  void start(SimActor& actor, SimOperation& first);
  // Its coroutines are destroyed and never resumed.
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
  // Each knows some of the others.
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
