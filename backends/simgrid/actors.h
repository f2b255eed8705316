#pragma once
// The actors of the simulated world (clients, node parts, server parts), and when their coroutines
// run.

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "backends/simgrid/sim_actor.h"
#include "backends/simgrid/event_queue.h"
#include "core/base/check.h"

namespace latchlab::sim {

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
