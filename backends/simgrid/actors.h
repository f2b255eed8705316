#pragma once
// The actors of the simulated world (clients, node parts, server parts), the state that each
// station keeps of an actor, which is private to that station, and when an actor's coroutines run.

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "backends/simgrid/event_queue.h"
#include "backends/simgrid/qp.h"
#include "backends/simgrid/sim_operation.h"
#include "core/base/check.h"
#include "core/coro/task.h"
#include "core/scenario/nic.h"
#include "core/verbs/verbs.h"

namespace latchlab::sim {

struct CpuTrouble;
struct SimWait;

class ActorQps {
  friend class Requester;
  QpTable own_;
  QpTable* shared_ = nullptr;  // its core's or node's, instead of its own
};

// The actor's DC initiator (DCI): it sends to one target at a time.
class ActorDci {
  friend class Messages;
  EndpointAddr target_;         // of the last send
  Fifo<SimOperation> waiting_;  // sends leave one after the other: each is acknowledged first
  bool busy_ = false;           // a send is in flight, or the DCI is being reset
};

class ActorCpu {
  friend class Cpus;
  Core* core_ = nullptr;  // null: it has a CPU of its own, and posting never waits
  VerbStatus detached_error_ = VerbStatus::ok;
  std::uint32_t detached_ = 0;  // detached operations that are not complete yet
  SimOperation* flushing_ = nullptr;
  CpuTrouble* trouble_ = nullptr;  // null: none so far
  std::uint32_t cache_ = 0;        // of a client or node part, among those of its node
};

class ActorWaits {
  friend class Waits;
  Fifo<SimWait> armed_;
};

// stations.cc implements its verbs.
class SimActor : public Verbs {
 public:
  // `its_nic`: of its node. `network_chance`: draws the jitter, loss and reordering of its
  // requests.
  SimActor(std::uint32_t number, ActorKind kind, NodeId node, ClientId client, const Rng& rng,
           const Rng& network_chance, const NicModel& its_nic)
      : Verbs(kind, node, client, rng), nic(its_nic), index(number), chance(network_chance) {}

  // How long its RNIC retries before it gives up.
  Duration patience() const { return nic.ack_timeout * (nic.ack_retries + 1); }

  const NicModel& nic;
  const std::uint32_t index;  // from 1; orders events of equal dates
  std::uint32_t life = 1;     // grows when the coroutine is destroyed
  bool evicted = false;       // its QPs are destroyed: its verbs no longer take effect
  bool alive = true;
  Rng chance;
  Task<void> root;
  ActorQps qps;
  ActorDci dci;
  ActorCpu cpu;
  ActorWaits waits;
};

inline SimActor& owner(const SimOperation& op) {
  return static_cast<SimActor&>(*op.owner);
}

// Draws the jitter of a request that leaves, for the first time or again.
inline void draw_chance(SimOperation& op) {
  const std::uint64_t drawn = owner(op).chance.next();
  op.chance_there = static_cast<std::uint32_t>(drawn >> 32);
  op.chance_back = static_cast<std::uint32_t>(drawn);
}

// Draws only if it can happen.
inline bool happens(std::int64_t share_ppb, Rng& chance) {
  constexpr std::uint64_t kWhole = 1'000'000'000;
  return share_ppb > 0 && chance.below(kWhole) < static_cast<std::uint64_t>(share_ppb);
}

class Actors {
 public:
  Actors(Timeline& timeline, std::uint32_t clients) : timeline_(timeline), clients_(clients) {}

  // Actors are numbered from 1.
  std::uint32_t next_index() const { return static_cast<std::uint32_t>(all_.size() + 1); }
  SimActor& add(std::unique_ptr<SimActor> actor);
  const std::vector<std::unique_ptr<SimActor>>& all() const { return all_; }
  SimActor& client(ClientId id) const;

  void spawn(SimActor& actor, Task<void> root, Time start);
  void begin(SimActor& actor);  // runs its root coroutine, if it is alive
  void resume(SimActor& actor, std::coroutine_handle<> handle);
  void die(SimActor& actor);  // its pending waits no longer resume a coroutine

  bool any_client() const { return any_client_; }  // whether a client was spawned
  bool all_ended() const { return any_client_ && live_clients_ == 0; }

  // Prefetches what the actor's coroutine touches when it is resumed, and announces its client.
  void prepare(const SimActor& actor, std::coroutine_handle<> waiter) const;
  void announce_to(std::function<void(ClientId)> announce) { announce_ = std::move(announce); }
  // The state of fewer clients stays in the cache without prefetching.
  bool crowded() const { return clients_.size() > kCachedClients; }

 private:
  static constexpr std::size_t kCachedClients = 500;
  static constexpr std::size_t kFrameBytes = 256;  // of a coroutine frame: what is touched first

  void enter(const SimActor& actor);
  void count_end(const SimActor& actor);

  Timeline& timeline_;
  CheckContext& context_ = check_context();
  std::vector<std::unique_ptr<SimActor>> all_;
  std::vector<SimActor*> clients_;  // by ClientId
  std::uint32_t live_clients_ = 0;  // spawned and not ended
  bool any_client_ = false;
  std::function<void(ClientId)> announce_;
};

}  // namespace latchlab::sim
