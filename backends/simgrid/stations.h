#pragma once
// All stations of the simulated world, from the bottom up: a station calls only those above it in
// this list, and reaches the others through gates. `enter` shows what is behind each gate, and so
// the way of a verb:
//
//   start -> requester -> transfer -> network   (place at the QP, outbound port, wire)
//   arrive -> responder -> [served] -> [slot_done] -> transfer   (pipeline, slot, effect, answer)
//   complete -> requester -> over -> cpus   (the coroutine goes on)

#include "backends/simgrid/calls.h"
#include "backends/simgrid/cpus.h"
#include "backends/simgrid/memory.h"
#include "backends/simgrid/messages.h"
#include "backends/simgrid/network.h"
#include "backends/simgrid/platform.h"
#include "backends/simgrid/requester.h"
#include "backends/simgrid/resending.h"
#include "backends/simgrid/responder.h"
#include "backends/simgrid/simgrid_backend.h"
#include "backends/simgrid/station.h"
#include "backends/simgrid/transfer.h"
#include "backends/simgrid/waits.h"

namespace latchlab::sim {

struct Stations final : Gates {
  Stations(const WorldPlan& plan, const SimgridOptions& its_options);
  Stations(const Stations&) = delete;
  ~Stations();

  void enter(Gate gate, void* subject) override;
  // Prefetches what this event will touch.
  void prepare_for(const Event& next);

  SimActor& add_actor(ActorKind kind, NodeId node, ClientId client);
  // Starts the operations that an actor posts with one doorbell.
  void start(SimActor& actor, SimOperation& first);
  // Destroys the actor's coroutines, which are never resumed.
  void kill(SimActor& actor, CrashKind kind);

  const SimgridOptions options;
  const std::uint64_t seed;
  SimContext context;
  Platform platform;
  Network network;
  Memory memory;
  Resending resending;
  Transfer transfer;
  Cpus cpus;
  Requester requester;
  Responder responder;
  Messages messages;
  Calls calls;
  Waits waits;

 private:
  // After a path was down. Not inlined, because they are rare.
  [[gnu::noinline]] void arrive_unless_lost(SimOperation& op);
  [[gnu::noinline]] void complete_unless_lost(SimOperation& op);
  void completed(SimOperation& op);
};

}  // namespace latchlab::sim
